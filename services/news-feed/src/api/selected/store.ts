import { Ledger, type LedgerOptions, type Member } from '@pressroom/common/ledger/ledger';
import { sql } from 'kysely';
import {
  ITEM_COLUMNS,
  type ItemRow,
  item,
  minimalItem,
  REPRESENTATION_VERSION,
} from '../items/representation.ts';
import type { Site } from '../site.ts';
import type { Changes, ChangesQuery, Fields, Snapshot, SnapshotQuery } from './schema.ts';

/** An item of the set. */
type SelectedRow = ItemRow & Member;

/** The dependencies of a {@link SelectedStore}. */
export type SelectedStoreOptions = Omit<LedgerOptions<SelectedRow, Fields>, 'set'> & { site: Site };

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
