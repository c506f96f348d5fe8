import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { Ledger, type LedgerOptions, type Member } from '@pressroom/common/ledger/ledger';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import {
  articleListItem,
  DETAIL_MEMBERS,
  eachDetailMember,
  listedMembers,
  shownCorrections,
  shownExtra,
  withoutUnset,
} from './articles/schema.ts';
import { CACHED_UNDER } from './cache-subjects.ts';
import { envelope, success } from './envelope.ts';
import { redirect as shownRedirect } from './redirects/redirects.ts';
import { replyToReader } from './requests.ts';
import { PAGE_KINDS } from './site.ts';
import { AUTHORS, CATEGORIES, SERIES, TAGS, type TermKind } from './terms/kinds.ts';
import { term } from './terms/terms.ts';

/** The forms of a copy: `full` has the bodies and everything else that articles show. */
const FORMS = ['default', 'full'] as const;

type Form = (typeof FORMS)[number];

/**
 * The contents of a copy, as its query names them. The place in this list stands in a copy's cursors, so the
 * present ones stay as they are, and others are added at the end.
 */
const COPIES = ['default', 'full', 'default&redirects=true', 'full&redirects=true'] as const;

type Copy = (typeof COPIES)[number];

interface SyncKind {
  /** The table, or its columns by the names that copies show. */
  rows: RawBuilder<unknown>;
  /** True for what only copies with redirects hold. */
  isAskedFor?: true;
  /** True for rows that are in the set. */
  isMember: RawBuilder<unknown>;
  /** The time by which an index has these rows in order, the latest first; absent where their ids have. */
  time?: 'published_at';
  /** The columns that a copy shows. The trigger `record_update` of the table compares all of them. */
  columns: Readonly<Record<Form, readonly string[]>>;
}

const TERM_COLUMNS = ['id', 'name', 'slug', 'description', 'created_at', 'updated_at'];

const CATEGORY_COLUMNS = [...TERM_COLUMNS, 'picture', 'position'];

const AUTHOR_COLUMNS = ['id', 'name', 'slug', 'bio', 'picture', 'links', 'created_at', 'updated_at'];

const ARTICLE_COLUMNS = [
  'id',
  'title',
  'slug',
  'excerpt',
  'featured_image',
  'category_id',
  'tag_ids',
  'author_ids',
  'author',
  'published_at',
  'series_id',
  'series_position',
];

/**
 * The kinds that are copied, in the order of the snapshot: first those that articles refer to. A new kind is
 * an entry here, its schema in `schema.ts`, and the triggers of its table (`content.record_change`); then
 * every copy begins again, unless it holds the kind only if asked.
 */
const KINDS = {
  category: allOf('content.category', CATEGORY_COLUMNS),
  tag: allOf('content.tag', TERM_COLUMNS),
  author: allOf('content.author', AUTHOR_COLUMNS),
  series: allOf('content.series', TERM_COLUMNS),
  article: {
    rows: sql.table('content.article'),
    isMember: sql`is_published`,
    time: 'published_at',
    columns: {
      default: ARTICLE_COLUMNS,
      full: [
        ...ARTICLE_COLUMNS,
        ...DETAIL_MEMBERS,
        'extra',
        'corrections',
        'created_at',
        'updated_at',
        'content',
      ],
    },
  },
  redirect: {
    rows: sql`(select *, from_address as "from", to_address as "to" from content.redirect)`,
    isMember: sql`true`,
    isAskedFor: true,
    columns: inEachForm(['id', 'from', 'to', 'status', 'source', 'updated_at']),
  },
  former_slug: {
    rows: sql`(select redirect_id as id, resource as page, id as page_id, slug from content.former_slug)`,
    isMember: sql`(page <> 'article' or exists (select from content.article where id = page_id and is_published))`,
    isAskedFor: true,
    columns: inEachForm(['id', 'page', 'page_id', 'slug']),
  },
  former_pattern: {
    rows: sql.table('content.former_pattern'),
    isMember: sql`true`,
    isAskedFor: true,
    columns: inEachForm(['id', 'page', 'pattern']),
  },
} as const satisfies Record<string, SyncKind>;

type KindName = keyof typeof KINDS;

/** The names of the kinds, in the order of the snapshot. */
const KIND_NAMES = Object.keys(KINDS) as KindName[];

function kindOf(name: KindName): SyncKind {
  return KINDS[name];
}

/** The kinds that a copy holds, in the order of the snapshot. */
function kindsIn(copy: Copy): KindName[] {
  return KIND_NAMES.filter((name) => copy.endsWith('&redirects=true') || !kindOf(name).isAskedFor);
}

function formOf(copy: Copy): Form {
  return copy.startsWith('full') ? 'full' : 'default';
}

/** A kind whose rows all are in the set. */
function allOf(table: string, columns: readonly string[]): SyncKind {
  return { rows: sql.table(table), isMember: sql`true`, columns: inEachForm(columns) };
}

function inEachForm(columns: readonly string[]): SyncKind['columns'] {
  return { default: columns, full: columns };
}

const timestamp = z.iso.datetime({ offset: true });

/** The limit on cursors in the OpenAPI description; longer texts are not cursors. */
const CURSOR_LENGTH = { minLength: 1, maxLength: 512 };

const MOST_ITEMS = 1000;

const limit = integerParameter(1, MOST_ITEMS)
  .default(MOST_ITEMS)
  .describe('A page also ends before its items exceed 8 MiB together.');

const fields = z.enum(FORMS, 'must be default or full, once');

const redirects = z.enum(['true'], 'must be true, or absent');

const snapshotQuery = z.strictObject({
  fields: fields
    .optional()
    .describe(
      '`full` adds the bodies of articles, and everything else that they show. `page` and `cursor` keep the choice.',
    ),
  redirects: redirects
    .optional()
    .describe(
      'Adds where old addresses lead, former slugs and former address patterns. `page` and `cursor` keep the choice.',
    ),
  limit,
  page: z
    .string('must be given once')
    .optional()
    .describe('`meta.next_page` of the previous page.')
    .meta(CURSOR_LENGTH),
});

const changesQuery = z.strictObject({
  cursor: z
    .string('must be given once')
    .describe('`meta.cursor` of the snapshot or of the previous changes.')
    .meta(CURSOR_LENGTH),
  limit,
});

/** A request for a page of the snapshot. */
type SnapshotQuery = z.infer<typeof snapshotQuery>;

/** A request for a page of changes. */
type ChangesQuery = z.infer<typeof changesQuery>;

const brief = articleListItem.omit({ category: true }).extend({
  published_at: timestamp,
  category_id: z.int().nullable(),
  tag_ids: z.array(z.int()).describe('In their order.'),
  author_ids: z.array(z.int()).describe('In their order.'),
  author: z
    .string()
    .describe('With `author_ids`: the names of these authors as they were when these were written.'),
  series_id: z.int().nullable(),
  series_position: z
    .int()
    .nullable()
    .describe('Orders the articles of a series, then the id; may have gaps.'),
});

const ofFull = listedMembers.pick({
  ...eachDetailMember(true as const),
  created_at: true,
  updated_at: true,
  content: true,
});

const article = z
  .object({
    kind: z.literal('article'),
    ...brief.shape,
    ...ofFull.partial().shape,
    extra: shownExtra.optional(),
    corrections: shownCorrections.optional(),
  })
  .meta({
    id: 'SyncedArticle',
    description: 'A published article; with everything in a copy of `fields=full`.',
  });

function syncedTerm<Kind extends KindName>(kind: Kind, { shown, included }: TermKind) {
  return z.object({ kind: z.literal(kind), ...term.shape, ...shown, ...included?.shown });
}

const redirect = z
  .object({
    kind: z.literal('redirect'),
    ...shownRedirect.omit({ answer: true }).shape,
    source: z.enum(['manual', 'import']),
    updated_at: timestamp,
  })
  .meta({ id: 'SyncedRedirect', description: 'It goes before a former slug that has its address.' });

const formerSlug = z
  .object({
    kind: z.literal('former_slug'),
    id: z.int(),
    page: z.enum(['article', 'category', 'tag', 'author', 'series']).describe('The kind of what had it.'),
    page_id: z.int(),
    slug: z.string(),
  })
  .meta({
    id: 'SyncedFormerSlug',
    description: 'A slug that leads to what had it, by the slug that it has now.',
  });

const formerPattern = z
  .object({
    kind: z.literal('former_pattern'),
    id: z.int(),
    page: z.enum(PAGE_KINDS).describe('The kind of the pages that had such addresses.'),
    pattern: z
      .string()
      .describe('A path of the site with `{id}` and `{slug}`, spelt as `from` of redirects.'),
  })
  .meta({
    id: 'SyncedFormerPattern',
    description: 'Its addresses, with former slugs too, lead to where the pages are now.',
  });

const item = z.discriminatedUnion('kind', [
  article,
  syncedTerm('category', CATEGORIES).meta({ id: 'SyncedCategory' }),
  syncedTerm('tag', TAGS).meta({ id: 'SyncedTag' }),
  syncedTerm('author', AUTHORS).meta({ id: 'SyncedAuthor' }),
  syncedTerm('series', SERIES).meta({ id: 'SyncedSeries' }),
  redirect,
  formerSlug,
  formerPattern,
]);

/** A published entry of any kind, as copies show it. */
type SyncItem = z.infer<typeof item>;

const change = z.discriminatedUnion('op', [
  z.object({ op: z.literal('upsert'), changed_at: timestamp, item }),
  z.object({
    op: z.literal('remove'),
    changed_at: timestamp,
    kind: z.enum(item.options.map(({ shape }) => shape.kind.value)),
    id: z.int(),
  }),
]);

type SyncChange = z.infer<typeof change>;

const cursor = z.string().describe('Opaque. Does not expire.');

const held = z.literal(true).optional().describe('Present in a copy with redirects.');

const snapshotAnswer = envelope(z.array(item)).extend({
  meta: z.object({
    fields,
    redirects: held,
    as_of: timestamp.describe(
      'The copy is as of this time or later; the changes since `cursor` bring the rest.',
    ),
    cursor: cursor.describe('The start of the changes; the same on every page.'),
    next_page: z.string().nullable().describe('Leads to the next page; null on the last one.'),
  }),
});

const changesAnswer = envelope(z.array(change)).extend({
  meta: z.object({
    fields,
    redirects: held,
    cursor: cursor.describe('Save it only after these changes have been applied.'),
    has_more: z.boolean(),
  }),
});

/** The dependencies of the operations of copies. */
interface SyncParts {
  sync: SyncStore;
  cache: RepresentationCache;
}

const OPENAPI_TAGS = ['sync'];

const OTHERS = { ...NOT_MODIFIED, ...problemResponses(400, 403, 409, 429, 503) };

/** The operations for a copy of the published articles: a snapshot, then its changes. */
export function syncOperations({ sync, cache }: SyncParts) {
  const snapshot = operation({
    schema: {
      tags: OPENAPI_TAGS,
      operationId: 'getSyncSnapshot',
      summary: 'Read everything that is published once, page by page',
      description:
        'Categories, tags, authors and series come first, then articles, then redirects. Follow `meta.next_page` until it is null, then request the changes since `meta.cursor`.',
      querystring: snapshotQuery,
      response: { 200: snapshotAnswer, ...OTHERS },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const { items, meta } = await sync.snapshot(request.query);
        return { value: { ...success('Snapshot found', items), meta }, subjects: CACHED_UNDER.copies };
      }),
  });
  const changes = operation({
    schema: {
      tags: OPENAPI_TAGS,
      operationId: 'listSyncChanges',
      summary: 'Read what has changed since a cursor',
      description:
        'Apply the changes first, then save the new cursor. Each item appears at its latest change, as it is now;' +
        ' an article that is no longer published is removed. A removal may name an item that you do not have. Only' +
        ' 409 `snapshot_required` means that you must start again from the snapshot.',
      querystring: changesQuery,
      response: { 200: changesAnswer, ...OTHERS },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const { changes, meta } = await sync.changes(request.query);
        return { value: { ...success('Changes found', changes), meta }, subjects: CACHED_UNDER.copies };
      }),
  });
  return { snapshot, changes };
}

/** An item of the set; `content` is apart, so that it is read only for those that fit into a page. */
interface SyncRow extends Member {
  time: Date | null;
  id: number;
  members: Omit<SyncItem, 'kind'>;
  content: string | null;
}

interface Place {
  kind: KindName;
  time: Date | null;
  id: number;
}

/** The dependencies of a {@link SyncStore}. */
type SyncStoreOptions = Omit<LedgerOptions<SyncRow, Copy>, 'set'>;

/** The published articles and their changes, as a mirror reads them (docs/ledger.md). */
export class SyncStore {
  readonly #ledger: Ledger<SyncRow, Copy>;

  constructor(options: SyncStoreOptions) {
    this.#ledger = new Ledger({
      ...options,
      set: {
        schema: 'content',
        fields: COPIES,
        snapshotPath: '/api/sync/snapshot',
        representation: kindsIn('default').map((name) => JSON.stringify([name, kindOf(name).columns])),
        members: (after, limit, copy) => sized(rowsAfter(readPlace(after), limit, copy), limit),
        order: ORDER,
        placeOf: ({ key, time, id }) => writePlace({ ...nameOf(key), time, id }),
        isPlace: (text) => readPlace(text) !== undefined,
        member: (copy) => sized(rowOfEntry(copy), 1),
      },
    });
  }

  /** The cursor of a copy that has everything until now; see {@link Ledger.head}. */
  head(): Promise<string> {
    return this.#ledger.head();
  }

  /** True if two cursors are of one history; see {@link Ledger.haveSameHistory}. */
  haveSameHistory(one: string, other: string): boolean {
    return this.#ledger.haveSameHistory(one, other);
  }

  /** Returns a page of the set; see {@link Ledger.snapshot}. */
  async snapshot({ page, limit, fields, redirects }: SnapshotQuery) {
    const isNamed = fields !== undefined || redirects !== undefined || page === undefined;
    const named = isNamed ? copyOf(fields, redirects) : undefined;
    const { asOf, cursor, nextPage, rows, ...of } = await this.#ledger.snapshot({
      page,
      limit,
      fields: named,
    });
    const meta = { ...heldIn(of.fields), as_of: asOf.toISOString(), cursor, next_page: nextPage };
    return { items: rows.map(itemOf), meta };
  }

  /** The changes since a cursor; see {@link Ledger.changes}. */
  async changes(query: ChangesQuery) {
    const { fields: copy, cursor, hasMore, entries } = await this.#ledger.changes(query);
    const kinds = kindsIn(copy);
    const changes = entries.flatMap(({ key, changedAt, row }): SyncChange[] => {
      const changed_at = changedAt.toISOString();
      if (row !== undefined) return [{ op: 'upsert', changed_at, item: itemOf(row) }];
      const name = nameOf(key);
      // Others are of no concern to this copy, or of a newer version that runs beside this one.
      return kinds.includes(name.kind) ? [{ op: 'remove', changed_at, ...name }] : [];
    });
    return { changes, meta: { ...heldIn(copy), cursor, has_more: hasMore } };
  }
}

function copyOf(form: Form = 'default', redirects?: 'true'): Copy {
  return redirects === undefined ? form : `${form}&redirects=true`;
}

function heldIn(copy: Copy): { fields: Form; redirects?: true } {
  return { fields: formOf(copy), ...(copy !== formOf(copy) && { redirects: true as const }) };
}

/** The order of the snapshot. */
const ORDER = sql`kind, time desc, id desc`;

/** The first rows of each kind after a place. */
function rowsAfter(place: Place | undefined, limit: number, copy: Copy): RawBuilder<unknown> {
  const first = place === undefined ? 0 : KIND_NAMES.indexOf(place.kind);
  const parts = kindsIn(copy).map((name, index) => {
    const { time } = kindOf(name);
    const order = time === undefined ? sql`id desc` : sql`${sql.ref(time)} desc, id desc`;
    const after = place?.kind === name ? isAfter(place) : sql.lit(index >= first);
    return sql`(${rowsOf(name, formOf(copy), after)} order by ${order} limit ${limit})`;
  });
  return sql.join(parts, sql` union all `);
}

function isAfter({ kind, time, id }: Place): RawBuilder<unknown> {
  const column = kindOf(kind).time;
  if (column === undefined) return sql`id < ${id}::bigint`;
  return sql`(${sql.ref(column)}, id) < (${time}::timestamptz, ${id}::bigint)`;
}

/** The row of `entry`, if it is in the set. */
function rowOfEntry(copy: Copy): RawBuilder<unknown> {
  const parts = kindsIn(copy).map((name) => {
    const id = sql`case when entry.item_id like ${sql.lit(`${name}:%`)}
      then split_part(entry.item_id, ':', 2)::integer end`;
    return rowsOf(name, formOf(copy), sql`id = ${id}`);
  });
  return sql.join(parts, sql` union all `);
}

function rowsOf(name: KindName, form: Form, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const { rows, isMember, time, columns } = kindOf(name);
  const shown = columns[form];
  const members = shown
    .filter((column) => column !== 'content')
    .map((column) => [sql.lit(column), shownAs(column)]);
  return sql`
    select ${sql.lit(KIND_NAMES.indexOf(name))} as kind, ${sql.lit(`${name}:`)} || id as key, id,
      ${time === undefined ? sql`null::timestamptz` : sql.ref(time)} as time,
      json_build_object(${sql.join(members.flat())}) as members,
      ${shown.includes('content') ? sql`content` : sql`null::text`} as content
    from ${rows} as row where ${isMember} and ${condition}`;
}

/** A column in JSON; times as the API shows them. */
function shownAs(column: string): RawBuilder<unknown> {
  if (!column.endsWith('_at')) return sql.ref(column);
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Returns the first of these rows, each with its size in a page. */
function sized(rows: RawBuilder<unknown>, limit: number): RawBuilder<SyncRow> {
  return sql`
    select *, octet_length(members::text) + coalesce(octet_length(content), 0) as bytes
    from (${rows}) as member order by ${ORDER} limit ${limit}`;
}

function itemOf({ key, members, content }: SyncRow): SyncItem {
  const { corrections, ...others } = members as { corrections?: unknown };
  return {
    ...withoutUnset(others),
    ...(corrections != null && { corrections }),
    kind: nameOf(key).kind,
    ...(content !== null && { content }),
  } as SyncItem;
}

/** The kind and the id of a key. */
function nameOf(key: string): { kind: KindName; id: number } {
  const [kind, id] = key.split(':');
  return { kind: kind as KindName, id: Number(id) };
}

function writePlace({ kind, time, id }: Place): string {
  return `${kind} ${time?.getTime() ?? ''} ${id}`;
}

/** Parses a place; undefined if `text` is not one. No time is out of PostgreSQL's range. */
function readPlace(text: string): Place | undefined {
  const [, name, time, id] = /^([a-z_]+) (-\d{1,14}|\d{1,15})? ([1-9]\d{0,9})$/.exec(text) ?? [];
  const kind = KIND_NAMES.find((known) => known === name);
  if (kind === undefined) return undefined;
  return { kind, time: time === undefined ? null : new Date(Number(time)), id: Number(id) };
}
