import { z } from 'zod';
import { DiskMap } from '../disk-map.ts';
import { titleFrom } from '../made-title.ts';
import { withPlacedUrls } from '../placed-urls.ts';
import { plainText } from '../plain-text.ts';
import type { Identity, SourceEntry } from '../source-entry.ts';
import { sourceSlug } from '../source-slug.ts';
import { ahead, impossible, timeOf } from '../time.ts';
import { truncateAtWord } from '../truncate.ts';
import { webAddress } from '../web-address.ts';
import { articleHtml } from './html.ts';
import { seoOf } from './seo.ts';
import type { Attachment } from './shortcodes.ts';
import { type WxrEntry, type WxrSite, wxrEntries } from './wxr.ts';

/** What articles refer to, wherever it stands in the file. */
interface References {
  /** The names of authors, by login. */
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
 *
 * @param clean whether shortcodes of plugins are removed, rather than left as text
 */
export async function* wordpressEntries(file: string, clean: boolean): AsyncGenerator<SourceEntry> {
  const references = await referencesIn(file);
  for await (const entry of wxrEntries(file)) {
    const place = `line ${entry.line}`;
    if (entry.kind === 'wp:category')
      yield* term(place, 'category', entry, 'wp:cat_name', 'wp:category_nicename');
    if (entry.kind === 'wp:tag') yield* term(place, 'tag', entry, 'wp:tag_name', 'wp:tag_slug');
    if (entry.kind === 'wp:category' && entry.texts.get('wp:category_parent')?.trim())
      yield { place, skipped: 'the parent of a category' };
    if (entry.kind !== 'item') continue;
    const item = itemOf(place, entry, references, clean);
    yield item;
    if ('line' in item) for (const reason of notKept(entry)) yield { place, skipped: reason };
  }
}

/** Custom fields that belong to WordPress and its plugins, or that are read. */
const OTHER_FIELDS = /^(?:_|rank_math_|footnotes$)/;

/** What an article has that is kept nowhere. */
function notKept({ comments, meta, terms, texts }: WxrEntry): string[] {
  return [
    ...Array.from({ length: comments }, () => 'comment'),
    ...[...meta.keys()].filter((key) => !OTHER_FIELDS.test(key)).map(() => 'custom field'),
    ...terms.filter(({ domain }) => domain === 'post_format').map(() => 'post format'),
    ...(texts.get('wp:is_sticky')?.trim() === '1' ? ['being sticky'] : []),
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
): Generator<SourceEntry> {
  const description = plainText(texts.get(`wp:${type}_description`) ?? '');
  const short = truncateAtWord(description, 500);
  const line = {
    type,
    name: plainText(texts.get(name) ?? ''),
    slug: sourceSlug(texts.get(nicename) ?? '').given,
    description: short,
  };
  const notes = short === description ? [] : [`description of the ${type} ${line.name}: shortened`];
  if (description !== '') yield { place, line, notes };
}

function itemOf(
  place: string,
  entry: WxrEntry & { site: WxrSite },
  references: References,
  clean: boolean,
): SourceEntry {
  const { texts, meta, site } = entry;
  const text = (name: string) => texts.get(name)?.trim() ?? '';
  const [type, status] = [text('wp:post_type'), text('wp:status')];
  if (type === 'wp_block') return { place, skipped: 'pattern: is put into the articles that show it' };
  if (type !== 'post') return { place, skipped: `${type || 'no type'}: not an article` };
  const state = STATES.get(status);
  if (state === undefined) return { place, skipped: `an article in the state ${status || 'unknown'}` };

  const notes: string[] = [];
  const protectedBy = text('wp:post_password') !== '' ? 'protected by a password' : undefined;
  const hidden = protectedBy ?? (status === 'private' ? status : undefined);
  if (hidden !== undefined) notes.push(`${hidden} in WordPress: imported as a draft`);
  const html = withPlacedUrls(htmlOf(entry, references, clean, notes), site.url, notes);
  const title = plainText(text('title')) || titleFrom(html, notes);
  const { primary, ...seo } = seoOf(entry, title, site.title, notes);
  const times = ['wp:post_date_gmt', 'pubDate', 'wp:post_date'].map(text);
  const modifiedTimes = ['wp:post_modified_gmt', 'wp:post_modified'].map(text);
  const [published] = times.flatMap((time) => timeOf(time) ?? []);
  const [modified] = modifiedTimes.flatMap((time) => timeOf(time) ?? []);
  notes.push(...impossible([...times, ...modifiedTimes]));
  const wasPublished = status === 'publish' || status === 'private';
  const isDated = published !== undefined || modified !== undefined;
  if (state && hidden === undefined && !isDated) notes.push('has no date: imported as a draft');
  const slug = sourceSlug(text('wp:post_name'));
  return {
    place,
    identity: identityOf(entry, slug.made),
    address: status === 'publish' ? text('link') : undefined,
    notes,
    line: {
      source: text('link') || text('guid'),
      title,
      html,
      excerpt: plainText(text('excerpt:encoded')) || null,
      authors: authorsOf(entry, references),
      is_published: state && hidden === undefined && isDated,
      published_at: wasPublished ? published : null,
      publish_at: status === 'future' && hidden === undefined ? ahead(published) : null,
      created_at: published ?? modified ?? null,
      updated_at: modified ?? published ?? null,
      slug: slug.given,
      ...groupsOf(entry, primary === undefined ? undefined : references.categories.get(primary), notes),
      ...seo,
      ...featuredImage(meta.get('_thumbnail_id')?.trim(), references, notes),
    },
  };
}

/** The same site may be read over http and https. */
function identityOf({ texts, site }: WxrEntry & { site: WxrSite }, slug: string | undefined): Identity {
  const text = (name: string) => texts.get(name)?.trim() ?? '';
  const plain = (url: string) => url.replace(/^https?:\/\//i, '').replace(/\/+$/, '');
  const id = text('wp:post_id');
  const former = new Set([site.url, `http://${plain(site.url)}`, `https://${plain(site.url)}`]);
  return {
    parts: ['wordpress', plain(site.url), id, plain(text('guid')), plain(text('link'))],
    former: [...former].map((url) => [`wordpress ${url} ${id}`]),
    slug,
  };
}

function htmlOf({ texts, meta }: WxrEntry, references: References, clean: boolean, notes: string[]): string {
  const shortcodes = new Set<string>();
  const blocks = new Set<string>();
  const lost = new Set<string>();
  const html = articleHtml(texts.get('content:encoded') ?? '', {
    attachment: (id) => references.attachments.get(id),
    own: (id = texts.get('wp:post_id')?.trim() ?? '') => references.uploads.all(id),
    pattern: (id) => references.patterns.get(id),
    footnotes: footnotesIn(meta.get('footnotes') ?? '', lost),
    onLost: (what) => lost.add(what),
    removeOthers: clean,
    onOther: (name) => shortcodes.add(name),
    onEmptyBlock: (name) => blocks.add(name),
  });
  for (const name of shortcodes)
    notes.push(`shortcode [${name}]: ${clean ? 'removed' : 'left as text; --clean removes it'}`);
  for (const name of blocks) notes.push(`block ${name}: has no HTML of its own; left out`);
  notes.push(...lost);
  return html;
}

const FOOTNOTES = z.array(z.object({ id: z.string(), content: z.string() }));

function footnotesIn(json: string, lost: Set<string>): z.infer<typeof FOOTNOTES> {
  if (json.trim() === '') return [];
  try {
    return FOOTNOTES.parse(JSON.parse(json));
  } catch {
    lost.add('footnotes: cannot be read; left out');
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
function groupsOf({ terms }: WxrEntry, primary: string | undefined, notes: string[]) {
  const named = terms.map(({ domain, nicename, name }) => ({
    domain,
    nicename,
    name: plainText(name) || nicename,
    slug: sourceSlug(nicename).given,
  }));
  const categories = unique(named.filter(({ domain }) => domain === 'category'));
  const category = categories.find(({ nicename }) => nicename === primary) ?? categories[0];
  const others = categories.filter((one) => one !== category);
  if (others.length > 0) notes.push(`also in ${others.map(({ name }) => name).join(', ')}: made tags`);
  const lost = new Set(named.map(({ domain }) => domain).filter((domain) => !TAXONOMIES.test(domain)));
  for (const taxonomy of lost) notes.push(`taxonomy ${taxonomy}: not kept`);
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

function featuredImage(id: string | undefined, { attachments }: References, notes: string[]) {
  if (id === undefined || id === '' || id === '0') return {};
  const attachment = attachments.get(id);
  const url = webAddress(attachment?.url);
  if (url === undefined) notes.push(`its picture (attachment ${id}) is not in the file; left out`);
  if (url === undefined) return {};
  const alt = attachment?.alt ?? '';
  const short = truncateAtWord(alt, 255);
  if (short !== alt) notes.push('alternative text of its picture: shortened to 255 characters');
  return { featured_image: url, alt_text: short || null };
}
