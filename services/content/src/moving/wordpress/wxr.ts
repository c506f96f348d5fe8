import { createReadStream } from 'node:fs';
import { Failure } from '@pressroom/common/failures/failure';
import { fileFailure } from '@pressroom/common/files/file-failure';
import { SaxesParser, type SaxesTagNS } from 'saxes';

/** An entry of the channel of an export of WordPress (WXR): an article, an author, a category … */
export interface WxrEntry {
  /** `item`, `wp:author`, `wp:category` or `wp:tag`. */
  kind: string;
  /** The line of the file on which it ends. */
  line: number;
  /** The texts of its elements, by name. */
  texts: Map<string, string>;
  /** The elements `category` of an article. */
  terms: { domain: string; nicename: string; name: string }[];
  /** Custom fields, by key. */
  meta: Map<string, string>;
}

/** The site that was exported. */
export interface WxrSite {
  title: string;
  url: string;
}

const KINDS = new Set(['item', 'wp:author', 'wp:category', 'wp:tag']);

/** The most characters that one text may have: the parser holds it in memory. */
const MOST = 2 ** 26;

/** Characters that XML 1.0 does not know, and that WordPress writes all the same. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Where elements of XML's namespaces are called as WordPress calls them. */
const NAMESPACES: readonly (readonly [RegExp, string])[] = [
  [/\/\/wordpress\.org\/export\/[\d.]+\/excerpt\/?$/, 'excerpt:'],
  [/\/\/wordpress\.org\/export\/[\d.]+\/?$/, 'wp:'],
  [/\/\/purl\.org\/rss\/1\.0\/modules\/content\/?$/, 'content:'],
  [/\/\/purl\.org\/dc\/elements\/1\.1\/?$/, 'dc:'],
];

/**
 * Reads an export of WordPress as a stream, entry by entry. No entity but XML's own is expanded.
 *
 * @throws Failure for a file that is not one, or not well-formed, with the line
 */
export async function* wxrEntries(file: string): AsyncGenerator<WxrEntry & { site: WxrSite }> {
  const reader = new WxrReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) {
      reader.write(decoder.decode(chunk, { stream: true }));
      yield* reader.take();
    }
    reader.write(decoder.decode());
    reader.close();
    yield* reader.take();
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new Failure('refused', `${file} is not UTF-8; convert it, with iconv for example`);
    if (error instanceof Error && error.name === 'WxrFault')
      throw new Failure('refused', `${file}: ${error.message}`);
    throw fileFailure(error, file);
  }
}

class WxrReader {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #path: string[] = [];
  readonly #site: WxrSite = { title: '', url: '' };
  #finished: (WxrEntry & { site: WxrSite })[] = [];
  #entry: WxrEntry | undefined;
  #text = '';
  #term = { domain: '', nicename: '', name: '' };
  #metaKey = '';
  #eventAt = 0;

  constructor() {
    const parser = this.#parser;
    const text = (value: string) => {
      this.#eventAt = parser.position;
      this.#text += value;
    };
    parser.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
        throw fault(`the encoding is ${encoding}; convert it to UTF-8, also in the first line`);
    });
    parser.on('text', text);
    parser.on('cdata', text);
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', () => this.#close());
    parser.on('error', (error) => {
      // HTML's entities, such as &nbsp;, stay as they are: what they are in is HTML.
      if (/undefined entity/.test(error.message)) return;
      throw fault(`not well-formed: ${error.message}`);
    });
  }

  write(text: string): void {
    this.#parser.write(text.replaceAll(NOT_XML, ''));
    if (this.#parser.position - this.#eventAt > MOST || this.#text.length > MOST)
      throw fault(`line ${this.#parser.line}: a text is longer than ${MOST} characters`);
  }

  close(): void {
    this.#parser.close();
  }

  take(): (WxrEntry & { site: WxrSite })[] {
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }

  #open(tag: SaxesTagNS): void {
    this.#eventAt = this.#parser.position;
    const name = nameOf(tag);
    if (this.#path.length === 0 && name !== 'rss') throw fault('this is not an export of WordPress (WXR)');
    this.#path.push(name);
    this.#text = '';
    if (this.#path.length === 3 && KINDS.has(name))
      this.#entry = { kind: name, line: 0, texts: new Map(), terms: [], meta: new Map() };
    if (this.#path.length === 4 && name === 'category')
      this.#term = {
        domain: tag.attributes.domain?.value ?? '',
        nicename: tag.attributes.nicename?.value ?? '',
        name: '',
      };
  }

  #close(): void {
    this.#eventAt = this.#parser.position;
    const [depth, name, text] = [this.#path.length, this.#path.pop() ?? '', this.#text];
    const entry = this.#entry;
    this.#text = '';
    if (entry === undefined) {
      if (depth === 3 && name === 'title') this.#site.title = text.trim();
      if (depth === 3 && (name === 'wp:base_blog_url' || (name === 'link' && this.#site.url === '')))
        this.#site.url = text.trim();
    } else if (depth === 3) {
      entry.line = this.#parser.line;
      this.#finished.push({ ...entry, site: { ...this.#site } });
      this.#entry = undefined;
    } else if (depth === 4 && name === 'category') {
      entry.terms.push({ ...this.#term, name: text.trim() });
    } else if (depth === 4) {
      entry.texts.set(name, text);
    } else if (depth === 5 && name === 'wp:meta_key') {
      this.#metaKey = text.trim();
    } else if (depth === 5 && name === 'wp:meta_value') {
      entry.meta.set(this.#metaKey, text);
    }
  }
}

function nameOf({ local, uri, prefix }: SaxesTagNS): string {
  const known = NAMESPACES.find(([pattern]) => pattern.test(uri))?.[1];
  return `${known ?? (prefix && `${prefix}:`)}${local}`;
}

function fault(message: string): Error {
  const error = new Error(message);
  error.name = 'WxrFault';
  return error;
}
