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
  /** How many there are. */
  comments: number;
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
  try {
    for await (const { text, skipped } of xmlOf(file)) {
      reader.write(text, skipped);
      yield* reader.take();
    }
    reader.close();
    yield* reader.take();
  } catch (error) {
    const place = error instanceof NotWellFormed ? await loneAmpersandIn(file) : undefined;
    if (place === undefined) throw error;
    throw new Failure('refused', `${file}: not well-formed: ${place}: a lone &; write &amp; for it`);
  }
}

/** How far the beginning of the XML is looked for, in characters. */
const MOST_BEFORE_XML = 2 ** 17;

/** What is before the XML: blank lines, and warnings of PHP. */
const BEFORE_XML = /^[\s\S]*?(?=<\?xml\s)|^[\s\S]*?(?=<rss[\s>])/;

/** The text of the XML, piece by piece, and how many lines stand before it in the file. */
async function* xmlOf(file: string): AsyncGenerator<{ text: string; skipped: number }> {
  let [beginning, skipped]: [string | undefined, number] = ['', 0];
  for await (const text of textOf(file)) {
    if (beginning === undefined) {
      yield { text, skipped };
      continue;
    }
    beginning += text;
    if (!/<\?xml\s/.test(beginning) && beginning.length < MOST_BEFORE_XML) continue;
    const before = BEFORE_XML.exec(beginning)?.[0] ?? '';
    skipped = before.split('\n').length - 1;
    yield { text: beginning.slice(before.length), skipped };
    beginning = undefined;
  }
  if (beginning === undefined) return;
  const before = BEFORE_XML.exec(beginning)?.[0] ?? '';
  yield { text: beginning.slice(before.length), skipped: before.split('\n').length - 1 };
}

/** Line and column of the first & that begins nothing; parsers notice it only at the next semicolon. */
async function loneAmpersandIn(file: string): Promise<string | undefined> {
  let [rest, line, end]: [string, number, string | undefined] = ['', 0, undefined];
  const look = (text: string): number | undefined => {
    const marks = /<!\[CDATA\[|<!--|&(?!#\d+;|#x[\da-f]+;|[a-z][\w.-]*;)/gi;
    for (;;) {
      if (end !== undefined) {
        const at = text.indexOf(end, marks.lastIndex);
        if (at === -1) return undefined;
        marks.lastIndex = at + end.length;
        end = undefined;
      }
      const found = marks.exec(text);
      if (found === null) return undefined;
      if (found[0] === '&') return found.index + 1;
      end = found[0] === '<!--' ? '-->' : ']]>';
    }
  };
  for await (const { text, skipped } of xmlOf(file)) {
    if (line === 0) line = skipped;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) {
      line += 1;
      const column = look(one);
      if (column !== undefined) return `${line}:${column}`;
    }
  }
  const column = look(rest);
  return column === undefined ? undefined : `${line + 1}:${column}`;
}

class NotWellFormed extends Failure {}

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
  /** The lines of the file before the XML. */
  #skipped = 0;
  #isOver = false;

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
      // PHP may warn at the end, too.
      if (this.#isOver) return;
      const message = error.message.replace(/^\d+/, (line) => String(Number(line) + this.#skipped));
      throw new NotWellFormed('refused', `${this.#file}: not well-formed: ${message}`);
    });
  }

  write(text: string, skipped: number): void {
    this.#skipped = skipped;
    this.#parser.write(text.replaceAll(NOT_XML, ''));
    if (this.#parser.position - this.#eventAt > MOST_CHARACTERS || this.#text.length > MOST_CHARACTERS)
      throw this.#fault(
        `line ${this.#parser.line + this.#skipped}: a text is longer than ${MOST_CHARACTERS} characters`,
      );
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
    if (this.#isOver) return;
    const name = nameOf(tag);
    if (this.#path.length === 0 && name !== 'rss')
      throw this.#fault('this is not an export of WordPress (WXR)');
    this.#path.push(name);
    this.#text = '';
    if (this.#path.length === 3 && KINDS.has(name))
      this.#entry = { kind: name, line: 0, texts: new Map(), terms: [], comments: 0, meta: new Map() };
    if (this.#path.length === 4 && name === 'category')
      this.#term = {
        domain: tag.attributes.domain?.value ?? '',
        nicename: tag.attributes.nicename?.value ?? '',
        name: '',
      };
  }

  #close(): void {
    this.#eventAt = this.#parser.position;
    if (this.#isOver) return;
    const [depth, name, text] = [this.#path.length, this.#path.pop() ?? '', this.#text];
    const entry = this.#entry;
    this.#text = '';
    if (depth === 1) this.#isOver = true;
    if (entry === undefined) {
      if (depth === 3 && name === 'title') this.#site.title = text.trim();
      if (depth === 3 && (name === 'wp:base_blog_url' || (name === 'link' && this.#site.url === '')))
        this.#site.url = text.trim();
    } else if (depth === 3) {
      entry.line = this.#parser.line + this.#skipped;
      this.#finished.push({ ...entry, site: { ...this.#site } });
      this.#entry = undefined;
    } else if (depth === 4 && name === 'category') {
      entry.terms.push({ ...this.#term, name: text.trim() });
    } else if (depth === 4 && name === 'wp:comment') {
      entry.comments += 1;
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
