import Assembler from 'stream-json/assembler.js';
import { jsonParser } from 'stream-json/parser.js';
import { because, type Reason, Refusal } from './reasons.ts';
import {
  DiskMap,
  impossibleDates,
  MOST_CHARACTERS,
  plainText,
  type SlugOf,
  type SourceEntry,
  scheduledFor,
  textOf,
  timeOf,
  titleFrom,
  webAddress,
  withPlacedUrls,
} from './source-entry.ts';

interface GhostOptions {
  /** The address that the site had, which Ghost leaves out. */
  site: string | undefined;
  slugOf: SlugOf;
}

/** Stands for the site's own address in Ghost's exports. */
const OWN_ADDRESS = '__GHOST_URL__';

const CARD_MARK = /<!--kg-card-(?:begin|end): [\w-]+-->/g;

/** States of articles: those that are imported, and whether as published. */
const STATES: ReadonlyMap<string, boolean> = new Map([
  ['published', true],
  ['sent', true],
  ['scheduled', false],
  ['draft', false],
]);

/**
 * Rows that articles refer to, and that may stand anywhere in the file: by the id of a row, or of an article.
 */
interface References {
  tags: DiskMap<GhostRow>;
  users: DiskMap<GhostRow>;
  tagsOf: DiskMap<GhostRow>;
  authorsOf: DiskMap<GhostRow>;
  metaOf: DiskMap<GhostRow>;
}

const TABLES = ['tags', 'users', 'posts_tags', 'posts_authors', 'posts_meta'];

/**
 * Reads the articles of an export of Ghost, and its tags with their descriptions. Reads the file twice,
 * because an article comes before what says which tags it has.
 */
export async function* ghostEntries(file: string, options: GhostOptions): AsyncGenerator<SourceEntry> {
  const references = await referencesIn(file);
  for (const tag of references.tags.values()) {
    const { name, slug, description } = tagOf(tag, options.slugOf);
    if (description && isPublic(tag))
      yield { place: `tag ${name}`, line: { type: 'tag', name, slug, description } };
  }
  let number = 0;
  for await (const { row } of ghostRows(file, ['posts'])) {
    number += 1;
    yield articleOf(`post ${number}`, row, references, options);
  }
}

async function referencesIn(file: string): Promise<References> {
  const references: References = {
    tags: new DiskMap(),
    users: new DiskMap(),
    tagsOf: new DiskMap(),
    authorsOf: new DiskMap(),
    metaOf: new DiskMap(),
  };
  for await (const { table, row } of ghostRows(file, TABLES)) {
    const [id, post] = [text(row, 'id'), text(row, 'post_id')];
    const kept = keptOf(row);
    if (table === 'tags') references.tags.add(id, kept);
    if (table === 'users') references.users.add(id, kept);
    if (table === 'posts_meta') references.metaOf.add(post, kept);
    if (table === 'posts_tags') references.tagsOf.add(post, kept);
    if (table === 'posts_authors') references.authorsOf.add(post, kept);
  }
  return references;
}

/** Members that articles refer to rows for; those that are unset are not worth the space. */
const KEPT =
  /^(?:name|slug|description|visibility|sort_order|tag_id|author_id|meta_title|meta_description|feature_image_alt|feature_image_caption|og_\w+|twitter_\w+|email_subject)$/;

function keptOf(row: GhostRow): GhostRow {
  const kept = Object.keys(row).filter((name) => KEPT.test(name) && text(row, name) !== '');
  return Object.fromEntries(kept.map((name) => [name, text(row, name)]));
}

function articleOf(
  place: string,
  row: GhostRow,
  references: References,
  { site, slugOf }: GhostOptions,
): SourceEntry {
  const type = text(row, 'type') || (truth(row.page) ? 'page' : 'post');
  const [id = '', status = '', slug = '', visibility = ''] = ['id', 'status', 'slug', 'visibility'].map(
    (name) => text(row, name),
  );
  if (type !== 'post') return { place, skipped: because('not_article', type) };
  const state = STATES.get(status);
  if (state === undefined) return { place, skipped: because('state', status || 'unknown') };
  const html = text(row, 'html');
  if (html === '') {
    const kept = ['lexical', 'mobiledoc', 'markdown'].find((name) => text(row, name) !== '');
    return { place, unreadable: kept ? because('no_html', kept) : because('no_text') };
  }
  const placed = (value: string) => {
    if (value.includes(OWN_ADDRESS) && site === undefined) throw new Refusal('site_missing');
    return value.replaceAll(OWN_ADDRESS, () => site ?? '');
  };
  const meta = references.metaOf.get(id) ?? row;
  const member = (name: string) => placed(text(meta, name) || text(row, name)) || null;
  const notes: Reason[] = [];
  const hidden = visibility !== '' && visibility !== 'public' ? `for ${visibility} only` : undefined;
  if (hidden !== undefined) notes.push(because('made_draft', null, `${hidden} in Ghost`));
  const address = (name: string, otherwise?: string) =>
    addressOf(member(name) ?? (otherwise ? member(otherwise) : null), site, name, notes);
  const image = address('feature_image', 'image');
  const [published, created, updated] = [row.published_at, row.created_at, row.updated_at].map(timeOf);
  notes.push(...impossibleDates([row.published_at, row.created_at, row.updated_at]));
  const left = LEFT.filter((name) => text(row, name) !== '' || text(meta, name) !== '');
  if (left.length > 0) notes.push(because('not_kept', left.join(', ')));
  const own = slugOf(slug);
  const content = withPlacedUrls(placed(html).replaceAll(CARD_MARK, ''), site, notes);
  const uuid = text(row, 'uuid');
  return {
    place,
    identity: {
      // Without a uuid, an id may be a number, which other sites have, too.
      parts: ['ghost', uuid, ...(uuid ? [] : [id, site ?? '', slug, created ?? ''])],
      former: [[`ghost ${uuid || id}`]],
      slug: own.made,
    },
    address: status === 'published' || status === 'sent' ? `/${slug}/` : undefined,
    notes,
    line: {
      source: `/${slug}/`,
      title: text(row, 'title') || titleFrom(content, notes),
      html: content,
      excerpt: plainText(text(row, 'custom_excerpt')) || null,
      authors: authorsOf(row, id, references, slugOf),
      is_published: state && hidden === undefined,
      published_at: status === 'scheduled' ? null : (published ?? null),
      publish_at: status === 'scheduled' && hidden === undefined ? scheduledFor(published, notes) : null,
      created_at: created ?? published ?? null,
      updated_at: updated ?? published ?? null,
      slug: own.given,
      tags: tagsOf(id, references, slugOf, notes),
      featured_image: image ?? null,
      alt_text: image === undefined ? null : member('feature_image_alt'),
      meta_title: member('meta_title'),
      meta_description: member('meta_description'),
      canonical_url: address('canonical_url') ?? null,
      social_title: member('og_title'),
      social_description: member('og_description'),
      social_image: address('og_image') ?? null,
    },
  };
}

/** Members of an article that have no place here. */
const LEFT = [
  ...[
    'codeinjection_head',
    'codeinjection_foot',
    'feature_image_caption',
    'custom_template',
    'email_subject',
  ],
  ...['twitter_title', 'twitter_description', 'twitter_image'],
];

/** A whole address; undefined for anything else, which is reported. */
function addressOf(
  value: string | null,
  site: string | undefined,
  name: string,
  notes: Reason[],
): string | undefined {
  if (value === null) return undefined;
  const whole = webAddress(
    URL.parse(value, site ?? (value.startsWith('//') ? 'https://x' : undefined))?.href,
  );
  if (whole !== undefined) return whole;
  const advice = !/^[a-z][a-z\d+.-]*:/i.test(value) && site === undefined ? ': give --site' : '';
  const about = `${name} ${value}`;
  notes.push(because('address_wrong', about, `${about}: is no whole address; left out${advice}`));
  return undefined;
}

/** The names of the authors, in their order; before version 1.22 of Ghost there was one. */
function authorsOf(row: GhostRow, id: string, { authorsOf, users }: References, slugOf: SlugOf) {
  const several = inOrder(authorsOf.all(id)).map((one) => text(one, 'author_id'));
  const ids = several.length > 0 ? several : [text(row, 'author_id')];
  return ids.flatMap((one) => {
    const user = users.get(one);
    if (user === undefined || text(user, 'name') === '') return [];
    const { given: slug } = slugOf(text(user, 'slug'));
    return [
      { name: text(user, 'name'), ...(slug !== undefined && { slug }), bio: text(user, 'bio') || null },
    ];
  });
}

/** The tags, in their order, but those that only Ghost's own site sees (`#internal`). */
function tagsOf(id: string, { tagsOf, tags }: References, slugOf: SlugOf, notes: Reason[]) {
  const found = inOrder(tagsOf.all(id)).flatMap((one): GhostRow[] => {
    const tag = tags.get(text(one, 'tag_id'));
    return tag === undefined ? [] : [tag];
  });
  const internal = found.filter((tag) => !isPublic(tag));
  if (internal.length > 0)
    notes.push(because('not_kept', `internal tags ${internal.map((tag) => text(tag, 'name')).join(', ')}`));
  return found.filter(isPublic).map((tag) => {
    const { name, slug } = tagOf(tag, slugOf);
    return { name, slug };
  });
}

function tagOf(tag: GhostRow, slugOf: SlugOf) {
  return {
    name: text(tag, 'name'),
    slug: slugOf(text(tag, 'slug')).given,
    description: plainText(text(tag, 'description')),
  };
}

function isPublic(tag: GhostRow): boolean {
  return text(tag, 'visibility') !== 'internal' && !text(tag, 'name').startsWith('#');
}

function inOrder(rows: readonly GhostRow[]): GhostRow[] {
  return rows.toSorted((a, b) => Number(a.sort_order ?? 0) - Number(b.sort_order ?? 0));
}

/** A member as text; empty if it is missing. Ids are numbers in old exports. */
function text(row: GhostRow, name: string): string {
  const value = row[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function truth(value: unknown): boolean {
  return value === true || value === 1;
}

/** A row of a table of Ghost. */
type GhostRow = Readonly<Record<string, unknown>>;

/**
 * Reads the rows of some tables of an export of Ghost as a stream, in the order of the file.
 *
 * @throws Failure for a file that is not one
 */
export async function* ghostRows(
  file: string,
  tables: readonly string[],
): AsyncGenerator<{ table: string; row: GhostRow }> {
  const reader = new RowReader(new Set(tables));
  try {
    for await (const text of textOf(file)) yield* reader.rowsIn(text);
  } catch (error) {
    if (error instanceof Error && /^Parser /.test(error.message))
      throw new Refusal('not_ghost', null, file, `not JSON: ${error.message}`);
    throw error;
  }
  if (!reader.isWhole)
    throw new Refusal(
      'not_ghost',
      null,
      file,
      'not a whole export of Ghost: it has no "data", or ends too early',
    );
}

class RowReader {
  readonly #tables: ReadonlySet<string>;
  readonly #parse = jsonParser({ packValues: true, streamValues: false });
  /** The names of the open objects' members and arrays; undefined for what is in an array. */
  readonly #path: (string | undefined)[] = [];
  #key: string | undefined;
  #row: Assembler<GhostRow> | undefined;
  #silence = 0;
  #sawData = false;

  constructor(tables: ReadonlySet<string>) {
    this.#tables = tables;
  }

  /** True once everything that was opened is closed, and there was data. */
  get isWhole(): boolean {
    return this.#sawData && this.#path.length === 0;
  }

  /** The rows that end in the next piece of the file. */
  *rowsIn(text: string): Generator<{ table: string; row: GhostRow }> {
    const found = this.#parse(text);
    const tokens = typeof found === 'object' && 'values' in found ? found.values : [];
    this.#silence = tokens.length === 0 ? this.#silence + text.length : 0;
    if (this.#silence > MOST_CHARACTERS)
      throw new Refusal('text_too_long', null, 'a text of the export', MOST_CHARACTERS);
    for (const token of tokens) {
      const table = this.#path.at(-1);
      if (this.#row === undefined && token.name === 'startObject' && this.#isWanted(table))
        this.#row = new Assembler<GhostRow>();
      if (this.#row === undefined) {
        this.#follow(token);
        continue;
      }
      this.#row.consume(token);
      if (!this.#row.done) continue;
      const row = this.#row.current;
      this.#row = undefined;
      if (row !== null && table !== undefined) yield { table, row };
    }
  }

  /** True for a table that is read: `data.posts`, in `db[0]` or at the top. */
  #isWanted(table: string | undefined): boolean {
    const [, ...above] = this.#path.filter((name) => name !== undefined).toReversed();
    return table !== undefined && this.#tables.has(table) && /^data(?: db)?$/.test(above.join(' '));
  }

  #follow({ name, value }: { name: string; value?: unknown }): void {
    if (name === 'keyValue') {
      this.#key = String(value);
      if (this.#key === 'data') this.#sawData = true;
    } else if (name === 'startObject' || name === 'startArray') {
      this.#path.push(this.#key);
      this.#key = undefined;
    } else if (name === 'endObject' || name === 'endArray') {
      this.#path.pop();
      this.#key = undefined;
    } else {
      this.#key = undefined;
    }
  }
}
