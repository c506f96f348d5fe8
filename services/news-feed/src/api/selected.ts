import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { Ledger, type LedgerOptions, type Member } from '@pressroom/common/ledger/ledger';
import { problemResponses } from '@pressroom/common/problems/problem';
import { sql } from 'kysely';
import { z } from 'zod';
import {
  ITEM_COLUMNS,
  type ItemRow,
  item,
  itemSchema,
  minimalItem,
  minimalItemSchema,
  REPRESENTATION_VERSION,
  timestamp,
} from './item.ts';
import { CACHE_CONTROL, type Site } from './site.ts';

const fields = z.enum(['default', 'minimal'], 'must be default or minimal, once');
const schemaVersion = z.literal(1);

/** The limit on cursors in the OpenAPI description; longer texts are not cursors. */
const CURSOR_LENGTH = { minLength: 1, maxLength: 512 };

const snapshotQuery = z.strictObject({
  fields: fields
    .optional()
    .describe(
      '`minimal` leaves out the summary, the original link and others. The default is `default`; `page` keeps the choice.',
    ),
  limit: integerParameter(1, 1000).default(500),
  page: z
    .string('must be given once')
    .optional()
    .describe('`nextPage` of the previous page.')
    .meta(CURSOR_LENGTH),
});

const changesQuery = z.strictObject({
  cursor: z
    .string('must be given once')
    .describe('`cursor` of the snapshot or of the previous changes.')
    .meta(CURSOR_LENGTH),
  limit: integerParameter(1, 100).default(100),
});

type Fields = z.infer<typeof fields>;

type SnapshotQuery = z.infer<typeof snapshotQuery>;

type ChangesQuery = z.infer<typeof changesQuery>;

const syncCursor = z.string().describe('Opaque. Does not expire.');

/** Answers of the snapshot and the changes, with the link name of `site`. */
function selectedAnswers(site: Site) {
  // The larger form comes first: a minimal item does not match it.
  const item = z.union([itemSchema(site), minimalItemSchema(site)]);
  const change = z.discriminatedUnion('op', [
    z.object({ op: z.literal('upsert'), changedAt: timestamp, item }),
    z.object({ op: z.literal('remove'), changedAt: timestamp, id: z.string() }),
  ]);
  const snapshot = z
    .object({
      schemaVersion,
      asOf: timestamp.describe(
        'The set is as of this time or later; the changes since `cursor` bring the rest.',
      ),
      fields,
      cursor: syncCursor.describe('The position where the changes begin; the same on every page.'),
      count: z.int().describe('The number of items on this page.'),
      hasMore: z.boolean(),
      nextPage: z.string().nullable(),
      items: z.array(item),
    })
    .meta({ id: 'SelectedSnapshot' });
  const changes = z
    .object({
      schemaVersion,
      fields,
      cursor: syncCursor.describe('Save it only after these changes have been applied.'),
      count: z.int().describe('The number of changes on this page.'),
      hasMore: z.boolean(),
      changes: z.array(change),
    })
    .meta({ id: 'SelectedChanges' });
  return { snapshot, changes };
}

type Snapshot = z.infer<ReturnType<typeof selectedAnswers>['snapshot']>;

type Changes = z.infer<ReturnType<typeof selectedAnswers>['changes']>;

/** The dependencies of the operations on the selected set. */
interface SelectedParts {
  selected: SelectedStore;
  site: Site;
  cache: RepresentationCache;
}

const TAGS = ['selected'];

/**
 * The operations on the selected set: a snapshot, then its changes (`docs/spec/news-feed.md`,
 * "Endpoints").
 */
export function selectedOperations({ selected, site, cache }: SelectedParts) {
  const answers = selectedAnswers(site);
  const others = { ...NOT_MODIFIED, ...problemResponses(400, 403, 405, 409, 429, 503) };
  const snapshot = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSelectedSnapshot',
      summary: 'Read the selected set once, page by page',
      description: 'Follow `nextPage` while `hasMore` is true, then request the changes since `cursor`.',
      querystring: snapshotQuery,
      response: { 200: answers.snapshot, ...others },
    },
    handler: (request, reply) => {
      const load = async () => ({ value: await selected.snapshot(request.query) });
      return replyConditionally(request, reply, { cacheControl: CACHE_CONTROL.snapshot, cache, load });
    },
  });
  const changes = operation({
    schema: {
      tags: TAGS,
      operationId: 'listSelectedChanges',
      summary: 'Read the changes of the selected set since a cursor',
      description:
        'Apply the changes first, then save the new cursor. Each item appears at its latest change,' +
        ' as it is now. A removal may name an item that you do not have. Only 409 `snapshot_required` means that' +
        ' you must start again from the snapshot.',
      querystring: changesQuery,
      response: { 200: answers.changes, ...others },
    },
    handler: (request, reply) => {
      const load = async () => ({ value: await selected.changes(request.query) });
      return replyConditionally(request, reply, { cacheControl: CACHE_CONTROL.changes, cache, load });
    },
  });
  return { snapshot, changes };
}

type SelectedRow = ItemRow & Member;

/** The dependencies of a {@link SelectedStore}. */
type SelectedStoreOptions = Omit<LedgerOptions<SelectedRow, Fields>, 'set'> & { site: Site };

const COLUMNS = sql`id as key, 0 as bytes, ${sql.join(ITEM_COLUMNS.map((column) => sql.ref(column)))}`;

/** The form of an item's id. */
const ID = /^[!-.0-~]{1,128}$/;

/** The selected set and its changes, as a mirror reads them (docs/ledger.md). */
export class SelectedStore {
  readonly #ledger: Ledger<SelectedRow, Fields>;
  readonly #site: Site;

  constructor({ site, ...options }: SelectedStoreOptions) {
    this.#site = site;
    this.#ledger = new Ledger({
      ...options,
      set: {
        schema: 'news',
        fields: ['default', 'minimal'],
        snapshotPath: '/api/v1/selected/snapshot',
        representation: [REPRESENTATION_VERSION, ...site.identity],
        members: (after, limit) => sql<SelectedRow>`
          select ${COLUMNS} from news.item where in_selected_set and id > ${after} order by id limit ${limit}
        `,
        order: sql`member.key`,
        placeOf: ({ key }) => key,
        isPlace: (text) => ID.test(text),
        member: () => sql<SelectedRow>`
          select ${COLUMNS} from news.item where id = entry.item_id and in_selected_set
        `,
      },
    });
  }

  /** A page of the set; see {@link Ledger.snapshot}. */
  async snapshot(query: SnapshotQuery): Promise<Snapshot> {
    const { asOf, fields, cursor, nextPage, rows } = await this.#ledger.snapshot(query);
    return {
      schemaVersion: 1,
      asOf: asOf.toISOString(),
      fields,
      cursor,
      count: rows.length,
      hasMore: nextPage !== null,
      nextPage,
      items: rows.map((row) => this.#shown(row, fields)),
    };
  }

  /** The changes since a cursor; see {@link Ledger.changes}. */
  async changes(query: ChangesQuery): Promise<Changes> {
    const { fields, cursor, hasMore, entries } = await this.#ledger.changes(query);
    return {
      schemaVersion: 1,
      fields,
      cursor,
      count: entries.length,
      hasMore,
      changes: entries.map(({ key, changedAt: at, row }) => {
        const changedAt = at.toISOString();
        if (row === undefined) return { op: 'remove', changedAt, id: key };
        return { op: 'upsert', changedAt, item: this.#shown(row, fields) };
      }),
    };
  }

  #shown(row: ItemRow, fields: Fields) {
    return fields === 'minimal' ? minimalItem(row, this.#site) : item(row, this.#site);
  }
}
