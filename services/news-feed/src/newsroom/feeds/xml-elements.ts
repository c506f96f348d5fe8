import { Failure } from '@pressroom/common/failures/failure';
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { Parser } from 'htmlparser2';

/** A member of a feed or of an entry: an element with everything in it. */
export interface XmlElement {
  /** In lower case; with the usual prefix if it is of another vocabulary than the feed itself. */
  name: string;
  /** By their names in lower case, without prefixes except `xml`. */
  attributes: Readonly<Record<string, string>>;
  /** The character data, its references resolved, of the elements inside too. */
  text: string;
  /** The same as HTML, with the tags of the elements inside; undefined if there are none. */
  markup: string | undefined;
  /** The address that `xml:base` gives it (XML Base); undefined if nothing does. */
  base: string | undefined;
}

/** An entry with its own attributes. */
export interface XmlEntry {
  /** What `xml:lang` says, of it or of what it is in. */
  language: string | undefined;
  attributes: XmlElement['attributes'];
  members: XmlElement[];
}

/** A feed as its XML says it, the same for every format. */
export interface XmlFeed {
  /** Its root, without a prefix. */
  root: string;
  /** What `xml:lang` of its root says. */
  language: string | undefined;
  members: XmlElement[];
  entries: XmlEntry[];
}

/** The roots of RSS, RDF, Atom, sitemaps and their indexes, and what their entries are called. */
const ROOTS = new Map<string, readonly string[]>([
  ...['rss', 'rdf', 'feed'].map((root) => [root, ['item', 'entry']] as const),
  ['urlset', ['url']],
  ['sitemapindex', ['sitemap']],
]);

/** Elements whose own members are those of the entry that they are in. */
const TRANSPARENT = [
  ...['media:group', 'media:content', 'enclosure'],
  ...['news:news', 'news:publication', 'image:image'],
];

/** The vocabularies by their namespaces, in lower case and without the final slash. Empty: the feed's own. */
const VOCABULARIES = new Map([
  ['http://purl.org/rss/1.0', ''],
  ['http://www.w3.org/2005/atom', 'atom'],
  ['http://purl.org/atom/ns#', 'atom'],
  ['http://purl.org/dc/elements/1.1', 'dc'],
  ['http://purl.org/dc/elements/1.0', 'dc'],
  ['http://purl.org/dc/terms', 'dcterms'],
  ['http://purl.org/rss/1.0/modules/content', 'content'],
  ['http://purl.org/rss/1.0/modules/syndication', 'sy'],
  ['http://search.yahoo.com/mrss', 'media'],
  ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['http://www.google.com/schemas/sitemap-news/0.9', 'news'],
  ['http://www.google.com/schemas/sitemap-image/1.1', 'image'],
  ['http://www.w3.org/1999/xhtml', 'xhtml'],
  ['http://www.w3.org/2000/svg', 'svg'],
]);

/** No feed nests deeper, and the parser's time for an end tag grows with the depth. */
const MOST_DEPTH = 200;

/** What an element that is open means for those inside. */
interface Frame {
  role: 'feed' | 'entry';
  /** Those that it declares itself, by their prefixes. */
  namespaces: ReadonlyMap<string, string>;
  base: string | undefined;
  language: string | undefined;
  /** The element itself, where it is one of {@link TRANSPARENT}. */
  member?: XmlElement;
}

/**
 * Reads the XML of a feed, well-formed or not, in one pass and without recursion. What a cut-off document
 * ends in is left out, and everything before it is read. Throws a {@link Failure} if it is not a feed.
 *
 * @param url the feed's address, against which relative values of `xml:base` are resolved
 */
export function readXml(text: string, url: string): XmlFeed {
  const reader = new XmlReader(url);
  const parser = new Parser(reader, { xmlMode: true, decodeEntities: false });
  parser.write(text);
  const { feed } = reader;
  // Ending closes what is open, which would make whole members of halves.
  if (feed === undefined) throw new Failure('invalid', 'it is not a feed');
  return feed;
}

class XmlReader {
  feed: XmlFeed | undefined;
  readonly #url: string;
  readonly #frames: Frame[] = [];
  /** The namespace of the root. */
  #own = '';
  /** What its entries are called. */
  #entries: readonly string[] = [];
  /** The member that is being read, and how many elements inside it are open. */
  #member: XmlElement | undefined;
  #depth = 0;
  #isCdata = false;

  constructor(url: string) {
    this.#url = url;
  }

  onopentag(tag: string, raw: Record<string, string>): void {
    if (this.#frames.length + this.#depth >= MOST_DEPTH) {
      throw new Failure('invalid', `the feed is malformed: it is nested deeper than ${MOST_DEPTH} elements`);
    }
    if (this.#member !== undefined) {
      this.#depth += 1;
      this.#member.markup = `${this.#member.markup ?? escapeHtml(this.#member.text)}<${localName(tag)}>`;
      return;
    }
    const attributes = attributesOf(raw);
    const frame = this.#frameFor(attributes, raw);
    const name = this.#nameOf(tag, frame);
    if (this.feed === undefined) this.#startFeed(name, tag, frame);
    else if (this.#entries.includes(name)) this.#startEntry(attributes, frame);
    else if (name === 'channel') this.#frames.push(frame);
    else {
      const member = { name, attributes, text: '', markup: undefined, base: frame.base };
      if (!TRANSPARENT.includes(name)) {
        this.#member = member;
        return;
      }
      this.#members.push(member);
      this.#frames.push({ ...frame, member });
    }
  }

  onclosetag(tag: string): void {
    const member = this.#member;
    if (member === undefined) {
      this.#frames.pop();
    } else if (this.#depth > 0) {
      this.#depth -= 1;
      member.markup += `</${localName(tag)}>`;
    } else {
      this.#members.push(member);
      const outer = this.#frames.at(-1)?.member;
      // What describes a picture is its text.
      if (outer !== undefined && member.name === 'media:description') outer.text = member.text;
      this.#member = undefined;
    }
  }

  ontext(data: string): void {
    const member = this.#member;
    if (member === undefined) return;
    const text = this.#isCdata ? data : decodeHTML(data);
    member.text += text;
    if (member.markup !== undefined) member.markup += escapeHtml(text);
  }

  oncdatastart(): void {
    this.#isCdata = true;
  }

  oncdataend(): void {
    this.#isCdata = false;
  }

  get #members(): XmlElement[] {
    const { feed } = this;
    const entry = this.#frames.at(-1)?.role === 'entry' ? feed?.entries.at(-1) : undefined;
    return entry?.members ?? feed?.members ?? [];
  }

  #startFeed(name: string, tag: string, frame: Frame): void {
    const root = localName(tag).toLowerCase();
    const entries = ROOTS.get(root);
    if (entries === undefined) throw new Failure('invalid', 'it is not a feed');
    this.#entries = entries;
    this.feed = { root, language: frame.language, members: [], entries: [] };
    this.#own = name.slice(0, -root.length);
    this.#frames.push(frame);
  }

  #startEntry(attributes: XmlElement['attributes'], frame: Frame): void {
    this.feed?.entries.push({ language: frame.language, attributes, members: [] });
    this.#frames.push({ ...frame, role: 'entry' });
  }

  #frameFor(attributes: XmlElement['attributes'], raw: Record<string, string>): Frame {
    const { role = 'feed', base, language } = this.#frames.at(-1) ?? {};
    const declared = Object.entries(raw).filter(([name]) => /^xmlns(:|$)/.test(name));
    const given = attributes['xml:base'];
    const inner = given === undefined ? undefined : URL.parse(given, base ?? this.#url)?.href;
    return {
      role,
      namespaces: new Map(declared.map(([name, uri]) => [name.slice(6).toLowerCase(), uri])),
      base: inner ?? base,
      language: attributes['xml:lang'] ?? language,
    };
  }

  /** An unknown namespace is the feed's own if it is the default one, else what its prefix usually is. */
  #nameOf(tag: string, frame: Frame): string {
    const prefix = tag.slice(0, Math.max(0, tag.indexOf(':'))).toLowerCase();
    const { namespaces } = [...this.#frames, frame].findLast((open) => open.namespaces.has(prefix)) ?? frame;
    const uri = namespaces.get(prefix)?.trim().toLowerCase().replace(/\/$/, '') ?? '';
    const vocabulary = VOCABULARIES.get(uri) ?? prefix;
    const name = `${vocabulary}${vocabulary === '' ? '' : ':'}${localName(tag).toLowerCase()}`;
    return this.#own !== '' && name.startsWith(this.#own) ? name.slice(this.#own.length) : name;
  }
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

function attributesOf(raw: Record<string, string>): XmlElement['attributes'] {
  const entries = Object.entries(raw).map(([name, value]) => {
    const lower = name.toLowerCase();
    return [lower.startsWith('xml') ? lower : localName(lower), decodeHTMLAttribute(value)] as const;
  });
  return Object.fromEntries(entries);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
