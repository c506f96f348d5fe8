import { Failure } from '@pressroom/common/failures/failure';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { MOST_CHARACTERS, textOf } from '../export-file.ts';

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

/** Characters that XML 1.0 does not know, and that WordPress writes all the same. */
const NOT_XML = /(?![\t\n\r\u007f-\u009f])\p{Cc}|[\ufffe\uffff]/gu;

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
  const reader = new WxrReader(file);
  for await (const text of textOf(file)) {
    reader.write(text);
    yield* reader.take();
  }
  reader.close();
  yield* reader.take();
}

class WxrReader {
  readonly #file: string;
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #path: string[] = [];
  readonly #site: WxrSite = { title: '', url: '' };
  #finished: (WxrEntry & { site: WxrSite })[] = [];
  #entry: WxrEntry | undefined;
  #text = '';
  #term = { domain: '', nicename: '', name: '' };
  #metaKey = '';
  #eventAt = 0;

  constructor(file: string) {
    this.#file = file;
    const parser = this.#parser;
    const text = (value: string) => {
      this.#eventAt = parser.position;
      this.#text += value;
    };
    parser.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
        throw this.#fault(`the encoding is ${encoding}; convert it to UTF-8, also in the first line`);
    });
    parser.on('text', text);
    parser.on('cdata', text);
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', () => this.#close());
    parser.on('error', (error) => {
      // HTML's entities, such as &nbsp;, stay as they are: what they are in is HTML.
      if (/undefined entity/.test(error.message)) return;
      throw this.#fault(`not well-formed: ${error.message}`);
    });
  }

  write(text: string): void {
    this.#parser.write(text.replaceAll(NOT_XML, ''));
    if (this.#parser.position - this.#eventAt > MOST_CHARACTERS || this.#text.length > MOST_CHARACTERS)
      throw this.#fault(`line ${this.#parser.line}: a text is longer than ${MOST_CHARACTERS} characters`);
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
    if (this.#path.length === 0 && name !== 'rss')
      throw this.#fault('this is not an export of WordPress (WXR)');
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

  #fault(message: string): Failure {
    return new Failure('refused', `${this.#file}: ${message}`);
  }
}

function nameOf({ local, uri, prefix }: SaxesTagNS): string {
  const known = NAMESPACES.find(([pattern]) => pattern.test(uri))?.[1];
  return `${known ?? (prefix && `${prefix}:`)}${local}`;
}
