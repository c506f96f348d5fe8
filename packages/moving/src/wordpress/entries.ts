import { SaxesParser, type SaxesTagNS } from 'saxes';
import { z } from 'zod';
import { because, type Reason, Refusal } from '../reasons.ts';
import {
  DiskMap,
  type Identity,
  impossibleDates,
  MOST_CHARACTERS,
  plainText,
  type SlugOf,
  type SourceEntry,
  scheduledFor,
  textOf,
  timeOf,
  titleFrom,
  truncateAtWord,
  webAddress,
  withPlacedUrls,
} from '../source-entry.ts';
import { type Attachment, articleHtml } from './html.ts';

interface WordpressOptions {
  /** True to remove shortcodes of plugins, rather than leave them as text. */
  clean: boolean;
  slugOf: SlugOf;
}

/** Facts that articles refer to, and that may stand anywhere in the file. */
interface References {
  authors: DiskMap<string>;
  /** The slugs that categories have in WordPress, by id. */
  categories: DiskMap<string>;
  /** The HTML of patterns, which articles share, by id. */
  patterns: DiskMap<string>;
  attachments: DiskMap<Attachment>;
  /** The attachments that were uploaded to an article, by its id. */
  uploads: DiskMap<Attachment>;
}

/** States of articles: those that are imported, and whether as published. */
const STATES: ReadonlyMap<string, boolean> = new Map([
  ['publish', true],
  ['private', false],
  ['future', false],
  ['pending', false],
  ['draft', false],
]);

/** Taxonomies that are kept, or are not worth a note. */
const TAXONOMIES = /^(?:category|post_tag|tag|author|post_format|)$/;

/**
 * Reads the articles of an export of WordPress, and its categories and tags with their descriptions. Reads
 * the file twice, because an article comes before the pictures that it shows.
 */
export async function* wordpressEntries(
  file: string,
  options: WordpressOptions,
): AsyncGenerator<SourceEntry> {
  const { slugOf } = options;
  const references = await referencesIn(file);
  for await (const entry of wxrEntries(file)) {
    const place = `line ${entry.line}`;
    if (entry.kind === 'wp:category')
      yield* term(place, 'category', entry, 'wp:cat_name', 'wp:category_nicename', slugOf);
    if (entry.kind === 'wp:tag') yield* term(place, 'tag', entry, 'wp:tag_name', 'wp:tag_slug', slugOf);
    if (entry.kind === 'wp:category' && entry.texts.get('wp:category_parent')?.trim())
      yield { place, skipped: because('category_parent') };
    if (entry.kind !== 'item') continue;
    const item = itemOf(place, entry, references, options);
    yield item;
    if ('line' in item) for (const reason of notKept(entry)) yield { place, skipped: reason };
  }
}

/** Custom fields that belong to WordPress and its plugins, or that are read. */
const OTHER_FIELDS = /^(?:_|rank_math_|footnotes$)/;

/** The parts of an article that are not kept. */
function notKept({ comments, meta, terms, texts }: WxrEntry): Reason[] {
  return [
    ...Array.from({ length: comments }, () => because('comment')),
    ...[...meta.keys()].filter((key) => !OTHER_FIELDS.test(key)).map(() => because('custom_field')),
    ...terms.filter(({ domain }) => domain === 'post_format').map(() => because('post_format')),
    ...(texts.get('wp:is_sticky')?.trim() === '1' ? [because('sticky')] : []),
  ];
}

async function referencesIn(file: string): Promise<References> {
  const references: References = {
    authors: new DiskMap(),
    categories: new DiskMap(),
    attachments: new DiskMap(),
    uploads: new DiskMap(),
    patterns: new DiskMap(),
  };
  for await (const { kind, texts, meta } of wxrEntries(file)) {
    const text = (name: string) => texts.get(name)?.trim() ?? '';
    if (kind === 'wp:author')
      references.authors.add(text('wp:author_login'), plainText(text('wp:author_display_name')));
    if (kind === 'wp:category') references.categories.add(text('wp:term_id'), text('wp:category_nicename'));
    if (text('wp:post_type') === 'wp_block')
      references.patterns.add(text('wp:post_id'), texts.get('content:encoded') ?? '');
    if (text('wp:post_type') !== 'attachment') continue;
    const attachment = {
      url: text('wp:attachment_url') || text('guid'),
      alt: plainText(meta.get('_wp_attachment_image_alt') ?? ''),
      caption: text('excerpt:encoded'),
    };
    references.attachments.add(text('wp:post_id'), attachment);
    const parent = text('wp:post_parent');
    if (parent !== '' && parent !== '0') references.uploads.add(parent, attachment);
  }
  return references;
}

/** A category or tag with a description: all others are made for the articles that have them. */
function* term(
  place: string,
  type: 'category' | 'tag',
  { texts }: WxrEntry,
  name: string,
  nicename: string,
  slugOf: SlugOf,
): Generator<SourceEntry> {
  const description = plainText(texts.get(`wp:${type}_description`) ?? '');
  const short = truncateAtWord(description, 500);
  const line = {
    type,
    name: plainText(texts.get(name) ?? ''),
    slug: slugOf(texts.get(nicename) ?? '').given,
    description: short,
  };
  const notes =
    short === description ? [] : [because('shortened', `description of the ${type} ${line.name}`)];
  if (description !== '') yield { place, line, notes };
}

function itemOf(
  place: string,
  entry: WxrEntry & { site: WxrSite },
  references: References,
  { clean, slugOf }: WordpressOptions,
): SourceEntry {
  const { texts, meta, site } = entry;
  const text = (name: string) => texts.get(name)?.trim() ?? '';
  const [type, status] = [text('wp:post_type'), text('wp:status')];
  if (type === 'wp_block') return { place, skipped: because('shared_pattern') };
  if (type !== 'post') return { place, skipped: because('not_article', type || 'no type') };
  const state = STATES.get(status);
  if (state === undefined) return { place, skipped: because('state', status || 'unknown') };

  const notes: Reason[] = [];
  const protectedBy = text('wp:post_password') !== '' ? 'protected by a password' : undefined;
  const hidden = protectedBy ?? (status === 'private' ? status : undefined);
  if (hidden !== undefined) notes.push(because('made_draft', null, `${hidden} in WordPress`));
  const html = withPlacedUrls(htmlOf(entry, references, clean, notes), site.url, notes);
  const title = plainText(text('title')) || titleFrom(html, notes);
  const { primary, ...seo } = seoOf(entry, title, site.title, notes);
  const times = ['wp:post_date_gmt', 'pubDate', 'wp:post_date'].map(text);
  const modifiedTimes = ['wp:post_modified_gmt', 'wp:post_modified'].map(text);
  const [published] = times.flatMap((time) => timeOf(time) ?? []);
  const [modified] = modifiedTimes.flatMap((time) => timeOf(time) ?? []);
  notes.push(...impossibleDates([...times, ...modifiedTimes]));
  const wasPublished = status === 'publish' || status === 'private';
  const slug = slugOf(text('wp:post_name'));
  return {
    place,
    identity: identityOf(entry, slug.made, [title, html]),
    address: status === 'publish' ? text('link') : undefined,
    notes,
    line: {
      source: text('link') || text('guid'),
      title,
      html,
      excerpt: plainText(text('excerpt:encoded')) || null,
      authors: authorsOf(entry, references),
      is_published: state && hidden === undefined,
      published_at: wasPublished ? published : null,
      publish_at: status === 'future' && hidden === undefined ? scheduledFor(published, notes) : null,
      created_at: published ?? modified ?? null,
      updated_at: modified ?? published ?? null,
      slug: slug.given,
      ...groupsOf(entry, primary && references.categories.get(primary), slugOf, notes),
      ...seo,
      ...featuredImage(meta.get('_thumbnail_id')?.trim(), references, notes),
    },
  };
}

/** A site is the same over http and https, with and without `www.`, and may move from one to another. */
function identityOf(
  { texts, site }: WxrEntry & { site: WxrSite },
  slug: string | undefined,
  itself: readonly string[],
): Identity {
  const text = (name: string) => texts.get(name)?.trim() ?? '';
  const plain = (url: string) => url.replace(/^https?:\/\//i, '').replace(/(?<!\/)\/+$/, '');
  const at = (prefix: string, url: string) => url && `${prefix}${plain(url).replace(/^www\./i, '')}`;
  const [id, guid, link] = [text('wp:post_id'), text('guid'), text('link')];
  // Tools that make such files may leave out all of these, or count from one for each site.
  const isNamed = plain(guid) !== '' || plain(link) !== '' || (site.url !== '' && Number(id) > 0);
  const partsOf = (from: string, ...addresses: string[]) => [
    'wordpress',
    from,
    id,
    ...addresses,
    ...(isNamed ? [] : itself),
  ];
  const prefixes = ['', 'www.'];
  const sites = prefixes.flatMap((prefix) =>
    ['http://', 'https://'].map((one) => one + at(prefix, site.url)),
  );
  return {
    parts: partsOf(plain(site.url), plain(guid), plain(link)),
    // A guid stays as it was when a site moves.
    others: prefixes.flatMap((now) =>
      prefixes.map((then) => partsOf(at(now, site.url), at(then, guid), at(now, link))),
    ),
    former: [...new Set([site.url, ...sites])].map((url) => [`wordpress ${url} ${id}`]),
    slug,
  };
}

function htmlOf({ texts, meta }: WxrEntry, references: References, clean: boolean, notes: Reason[]): string {
  const shortcodes = new Set<string>();
  const blocks = new Set<string>();
  const lost = new Map<string, Reason>();
  const onLost = (reason: Reason) => void lost.set(reason.text, reason);
  const html = articleHtml(texts.get('content:encoded') ?? '', {
    attachment: (id) => references.attachments.get(id),
    own: (id = texts.get('wp:post_id')?.trim() ?? '') => references.uploads.all(id),
    pattern: (id) => references.patterns.get(id),
    footnotes: footnotesIn(meta.get('footnotes') ?? '', onLost),
    onLost,
    removeOthers: clean,
    onOther: (name) => shortcodes.add(name),
    onEmptyBlock: (name) => blocks.add(name),
  });
  for (const name of shortcodes) notes.push(because(clean ? 'shortcode_removed' : 'shortcode_kept', name));
  for (const name of blocks) notes.push(because('block_left_out', name));
  notes.push(...lost.values());
  return html;
}

const FOOTNOTES = z.array(z.object({ id: z.string(), content: z.string() }));

function footnotesIn(json: string, onLost: (reason: Reason) => void): z.infer<typeof FOOTNOTES> {
  if (json.trim() === '') return [];
  try {
    return FOOTNOTES.parse(JSON.parse(json));
  } catch {
    onLost(because('value_refused', 'footnotes', 'footnotes: cannot be read; left out'));
    return [];
  }
}

/** The names of the authors: of the plugin Co-Authors Plus, or else the one that WordPress has. */
function authorsOf({ texts, terms }: WxrEntry, { authors }: References): { name: string }[] {
  const several = terms.filter(({ domain }) => domain === 'author');
  const login = texts.get('dc:creator')?.trim() ?? '';
  const names =
    several.length > 0
      ? several.map(({ name, nicename }) => authors.get(name) || authors.get(nicename) || plainText(name))
      : [authors.get(login) || login];
  return [...new Set(names)].filter((name) => name !== '').map((name) => ({ name }));
}

/**
 * The category and the tags. An article has one category here: the one that its plugin calls the primary, or
 * the first; the others become tags.
 */
function groupsOf({ terms }: WxrEntry, primary: string | undefined, slugOf: SlugOf, notes: Reason[]) {
  const named = terms.map(({ domain, nicename, name }) => ({
    domain,
    nicename,
    name: plainText(name) || nicename,
    slug: slugOf(nicename).given,
  }));
  const categories = unique(named.filter(({ domain }) => domain === 'category'));
  const category = categories.find(({ nicename }) => nicename === primary) ?? categories[0];
  const others = categories.filter((one) => one !== category);
  if (others.length > 0) notes.push(because('became_tags', others.map(({ name }) => name).join(', ')));
  const lost = new Set(named.map(({ domain }) => domain).filter((domain) => !TAXONOMIES.test(domain)));
  for (const taxonomy of lost) notes.push(because('taxonomy_lost', taxonomy));
  const tags = unique([
    ...others,
    ...named.filter(({ domain }) => domain === 'post_tag' || domain === 'tag'),
  ]);
  // By its name, where its slug is none of ours: two names may be made one slug.
  const shown = ({ name, slug }: { name: string; slug: string | undefined }) => ({ name, slug });
  return { category: category ? shown(category) : null, tags: tags.filter(({ name }) => name).map(shown) };
}

function unique<Term extends { nicename: string; name: string }>(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [term.nicename || term.name, term])).values()];
}

function featuredImage(id: string | undefined, { attachments }: References, notes: Reason[]) {
  if (id === undefined || id === '' || id === '0') return {};
  const attachment = attachments.get(id);
  const url = webAddress(attachment?.url);
  if (url === undefined) notes.push(because('picture_missing', id));
  if (url === undefined) return {};
  const alt = attachment?.alt ?? '';
  const short = truncateAtWord(alt, 255);
  if (short !== alt) notes.push(because('shortened', 'alternative text of its picture', 255));
  return { featured_image: url, alt_text: short || null };
}

/** The custom fields of Yoast SEO, Rank Math and All in One SEO (today's and before version 4). */
const KEYS = {
  meta_title: ['_yoast_wpseo_title', 'rank_math_title', '_aioseo_title', '_aioseop_title'],
  meta_description: [
    '_yoast_wpseo_metadesc',
    'rank_math_description',
    '_aioseo_description',
    '_aioseop_description',
  ],
  canonical_url: ['_yoast_wpseo_canonical', 'rank_math_canonical_url', '_aioseop_custom_link'],
  social_title: ['_yoast_wpseo_opengraph-title', 'rank_math_facebook_title', '_aioseo_og_title'],
  social_description: [
    '_yoast_wpseo_opengraph-description',
    'rank_math_facebook_description',
    '_aioseo_og_description',
  ],
  social_image: ['_yoast_wpseo_opengraph-image', 'rank_math_facebook_image'],
  primary: ['_yoast_wpseo_primary_category', 'rank_math_primary_category'],
} as const;

/** Placeholders of the plugins: `%%title%%`, `%title%`, `#post_title`. */
const VARIABLE = /%%(\w+)%%|%(\w+)%|#(post_title|site_title|separator_sa)\b/g;

/** The members for search engines and networks, in the order of {@link KEYS} the first plugin's. */
function seoOf({ meta }: WxrEntry, title: string, site: string, notes: Reason[]) {
  const values: Readonly<Record<string, string>> = {
    title,
    post_title: title,
    sitename: site,
    site_title: site,
    sep: '-',
    separator_sa: '-',
  };
  const first = (keys: readonly string[]) =>
    keys.map((key) => meta.get(key)?.trim()).find((value) => value !== undefined && value !== '');
  const text = (keys: readonly string[]) =>
    first(keys)
      ?.replaceAll(VARIABLE, (_, yoast, rankMath, aioseo) => values[yoast ?? rankMath ?? aioseo] ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim() || null;
  const canonical = first(KEYS.canonical_url);
  const address = webAddress(canonical);
  if (canonical !== undefined && address === undefined)
    notes.push(because('address_wrong', canonical, `canonical address ${canonical}: is none; left out`));
  return {
    meta_title: text(KEYS.meta_title),
    meta_description: text(KEYS.meta_description),
    canonical_url: address ?? null,
    social_title: text(KEYS.social_title),
    social_description: text(KEYS.social_description),
    social_image: webAddress(first(KEYS.social_image)) ?? null,
    /** The id of the category that stands for the article. */
    primary: first(KEYS.primary),
  };
}

/** An entry of the channel of an export of WordPress (WXR): an article, an author, a category … */
interface WxrEntry {
  /** `item`, `wp:author`, `wp:category` or `wp:tag`. */
  kind: string;
  /** The line of the file on which it ends. */
  line: number;
  /** The texts of its elements, by name. */
  texts: Map<string, string>;
  /** The elements `category` of an article. */
  terms: { domain: string; nicename: string; name: string }[];
  comments: number;
  meta: Map<string, string>;
}

interface WxrSite {
  title: string;
  url: string;
}

const KINDS = new Set(['item', 'wp:author', 'wp:category', 'wp:tag']);

/** Characters that XML 1.0 does not know, and that WordPress writes all the same. */
const NOT_XML = /(?![\t\n\r\u007f-\u009f])\p{Cc}|[\ufffe\uffff]/gu;

/** The prefixes by which WordPress calls XML's namespaces. */
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
    throw new NotWellFormed(file, `${place}: a lone &; write &amp; for it`);
  }
}

/** The number of characters in which the start of the XML is sought. */
const MOST_BEFORE_XML = 2 ** 17;

/** The text before the XML: blank lines, and warnings of PHP. */
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

class NotWellFormed extends Refusal {
  /** `fault` begins with its line. */
  constructor(file: string, fault: string) {
    super('malformed', /^\d+/.exec(fault)?.[0] ?? null, `${file}: not well-formed: ${fault}`);
  }
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
        throw new Refusal('encoding', encoding, file);
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
      throw new NotWellFormed(file, message);
    });
  }

  write(text: string, skipped: number): void {
    this.#skipped = skipped;
    this.#parser.write(text.replaceAll(NOT_XML, ''));
    if (this.#parser.position - this.#eventAt > MOST_CHARACTERS || this.#text.length > MOST_CHARACTERS)
      throw new Refusal(
        'text_too_long',
        null,
        `${this.#file}: line ${this.#parser.line + this.#skipped}: a text`,
        MOST_CHARACTERS,
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
    if (this.#path.length === 0 && name !== 'rss') throw new Refusal('not_wordpress', null, this.#file);
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
}

function nameOf({ local, uri, prefix }: SaxesTagNS): string {
  const known = NAMESPACES.find(([pattern]) => pattern.test(uri))?.[1];
  return `${known ?? (prefix && `${prefix}:`)}${local}`;
}
