import { SLUG_PATTERN, slugify } from '../../slug.ts';
import { DiskMap } from '../disk-map.ts';
import { plainText } from '../plain-text.ts';
import type { SourceEntry } from '../source-entry.ts';
import { ahead, timeOf } from '../time.ts';
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
  /** The slugs of categories, by id. */
  categories: DiskMap<string>;
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

/** The longest title that is made of the beginning of an article. */
const MADE_TITLE = 80;

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
    if (entry.kind === 'item') yield itemOf(place, entry, references, clean);
  }
}

async function referencesIn(file: string): Promise<References> {
  const references: References = {
    authors: new DiskMap(),
    categories: new DiskMap(),
    attachments: new DiskMap(),
    uploads: new DiskMap(),
  };
  for await (const { kind, texts, meta } of wxrEntries(file)) {
    const text = (name: string) => texts.get(name)?.trim() ?? '';
    if (kind === 'wp:author')
      references.authors.add(text('wp:author_login'), plainText(text('wp:author_display_name')));
    if (kind === 'wp:category')
      references.categories.add(text('wp:term_id'), slugOf(text('wp:category_nicename')) ?? '');
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
  const line = {
    type,
    name: plainText(texts.get(name) ?? ''),
    slug: slugOf(texts.get(nicename) ?? ''),
    description: truncateAtWord(description, 500),
  };
  if (description !== '') yield { place, line };
}

function itemOf(
  place: string,
  entry: WxrEntry & { site: WxrSite },
  references: References,
  clean: boolean,
): SourceEntry {
  const { texts, meta, site } = entry;
  const text = (name: string) => texts.get(name)?.trim() ?? '';
  const [type, status, id] = [text('wp:post_type'), text('wp:status'), text('wp:post_id')];
  if (type !== 'post') return { place, skipped: `${type || 'no type'}: not an article` };
  const state = STATES.get(status);
  if (state === undefined) return { place, skipped: `an article in the state ${status || 'unknown'}` };

  const notes: string[] = [];
  const protectedBy = text('wp:post_password') !== '' ? 'protected by a password' : undefined;
  const hidden = protectedBy ?? (status === 'private' ? status : undefined);
  if (hidden !== undefined) notes.push(`${hidden} in WordPress: imported as a draft`);
  const html = htmlOf(entry, references, clean, notes);
  const title = plainText(text('title')) || titleFrom(html, notes);
  const { primary, ...seo } = seoOf(entry, title, site.title);
  const published =
    timeOf(text('wp:post_date_gmt')) ?? timeOf(text('pubDate')) ?? timeOf(text('wp:post_date'));
  const wasPublished = status === 'publish' || status === 'private';
  return {
    place,
    identity: `wordpress ${site.url} ${id}`,
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
      publish_at: status === 'future' && hidden === undefined ? ahead(published) : null,
      created_at: published ?? null,
      updated_at: timeOf(text('wp:post_modified_gmt')) ?? published ?? null,
      slug: slugOf(text('wp:post_name')),
      ...groupsOf(entry, primary === undefined ? undefined : references.categories.get(primary), notes),
      ...seo,
      ...featuredImage(meta.get('_thumbnail_id')?.trim(), references, notes),
    },
  };
}

function htmlOf({ texts }: WxrEntry, references: References, clean: boolean, notes: string[]): string {
  const shortcodes = new Set<string>();
  const blocks = new Set<string>();
  const html = articleHtml(texts.get('content:encoded') ?? '', {
    attachment: (id) => references.attachments.get(id),
    own: () => references.uploads.all(texts.get('wp:post_id')?.trim() ?? ''),
    removeOthers: clean,
    onOther: (name) => shortcodes.add(name),
    onEmptyBlock: (name) => blocks.add(name),
  });
  for (const name of shortcodes)
    notes.push(`shortcode [${name}]: ${clean ? 'removed' : 'left as text; --clean removes it'}`);
  for (const name of blocks) notes.push(`block ${name}: has no HTML of its own; left out`);
  return html;
}

function titleFrom(html: string, notes: string[]): string {
  const text = plainText(html);
  const end = text.length > MADE_TITLE ? text.lastIndexOf(' ', MADE_TITLE) : text.length;
  const title = text.slice(0, end > 0 ? end : MADE_TITLE) || 'Untitled';
  notes.push(`has no title; it is called "${title}"`);
  return title;
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
    name: plainText(name) || nicename,
    slug: slugOf(nicename),
  }));
  const categories = unique(named.filter(({ domain, slug }) => domain === 'category' && slug !== undefined));
  const category = categories.find(({ slug }) => slug === primary) ?? categories[0];
  const others = categories.filter((one) => one !== category);
  if (others.length > 0) notes.push(`also in ${others.map(({ name }) => name).join(', ')}: made tags`);
  const lost = new Set(named.map(({ domain }) => domain).filter((domain) => !TAXONOMIES.test(domain)));
  for (const taxonomy of lost) notes.push(`taxonomy ${taxonomy}: not kept`);
  const tags = unique([
    ...others,
    ...named.filter(({ domain }) => domain === 'post_tag' || domain === 'tag'),
  ]);
  const shown = ({ name, slug }: { name: string; slug: string | undefined }) => ({ name, slug });
  return { category: category ? shown(category) : null, tags: tags.filter(({ slug }) => slug).map(shown) };
}

function unique<Term extends { slug: string | undefined }>(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [term.slug, term])).values()];
}

function featuredImage(id: string | undefined, { attachments }: References, notes: string[]) {
  if (id === undefined || id === '' || id === '0') return {};
  const attachment = attachments.get(id);
  const url = webAddress(attachment?.url);
  if (url === undefined) notes.push(`its picture (attachment ${id}) is not in the file; left out`);
  return url === undefined
    ? {}
    : { featured_image: url, alt_text: truncateAtWord(attachment?.alt ?? '', 255) || null };
}

/** A slug of WordPress as one of ours: it may have letters of any script, percent-encoded, and `_`. */
function slugOf(nicename: string): string | undefined {
  if (nicename === '') return undefined;
  let decoded = nicename;
  try {
    decoded = decodeURIComponent(nicename);
  } catch {
    // Cut off in the middle of a letter.
  }
  return SLUG_PATTERN.test(decoded) && decoded.length <= 100 ? decoded : slugify(decoded, '') || undefined;
}
