import { Ledger, type LedgerOptions } from '@pressroom/common/ledger/ledger';
import type { Member } from '@pressroom/common/ledger/ledger-rows';
import { type RawBuilder, sql } from 'kysely';
import { FORMS, type Form, KIND_NAMES, type KindName, kindOf } from './kinds.ts';
import type { ChangesQuery, SnapshotQuery, SyncChange, SyncItem } from './schema.ts';

/** An item of the set; `content` is apart, so that it is read only for those that fit into a page. */
interface SyncRow extends Member {
  time: Date | null;
  id: number;
  members: Omit<SyncItem, 'kind'>;
  content: string | null;
}

/** Where an item is in the snapshot. */
interface Place {
  kind: KindName;
  time: Date | null;
  id: number;
}

/** The dependencies of a {@link SyncStore}. */
export type SyncStoreOptions = Omit<LedgerOptions<SyncRow, Form>, 'set'>;

/** What is published, and its changes, as a mirror reads them (docs/ledger.md). */
export class SyncStore {
  readonly #ledger: Ledger<SyncRow, Form>;

  constructor(options: SyncStoreOptions) {
    this.#ledger = new Ledger({
      ...options,
      set: {
        schema: 'content',
        fields: FORMS,
        snapshotPath: '/api/sync/snapshot',
        representation: KIND_NAMES.map((name) => JSON.stringify([name, kindOf(name).columns])),
        members: (after, limit, form) => sized(rowsAfter(readPlace(after), limit, form), limit),
        order: ORDER,
        placeOf: ({ key, time, id }) => writePlace({ ...nameOf(key), time, id }),
        isPlace: (text) => readPlace(text) !== undefined,
        member: (form) => sized(rowOfEntry(form), 1),
      },
    });
  }

  /** The cursor of a copy that has everything until now; see {@link Ledger.head}. */
  head(): Promise<string> {
    return this.#ledger.head();
  }

  /** Whether two cursors are of one history; see {@link Ledger.haveSameHistory}. */
  haveSameHistory(one: string, other: string): boolean {
    return this.#ledger.haveSameHistory(one, other);
  }

  /** A page of what is published; see {@link Ledger.snapshot}. */
  async snapshot(query: SnapshotQuery) {
    const { asOf, fields, cursor, nextPage, rows } = await this.#ledger.snapshot(query);
    const meta = { fields, as_of: asOf.toISOString(), cursor, next_page: nextPage };
    return { items: rows.map(itemOf), meta };
  }

  /** The changes since a cursor; see {@link Ledger.changes}. */
  async changes(query: ChangesQuery) {
    const { fields, cursor, hasMore, entries } = await this.#ledger.changes(query);
    const changes = entries.flatMap(({ key, changedAt, row }): SyncChange[] => {
      const changed_at = changedAt.toISOString();
      if (row !== undefined) return [{ op: 'upsert', changed_at, item: itemOf(row) }];
      const name = nameOf(key);
      // While an older version still runs beside a newer one, it does not know the newer one's kinds.
      return KIND_NAMES.includes(name.kind) ? [{ op: 'remove', changed_at, ...name }] : [];
    });
    return { changes, meta: { fields, cursor, has_more: hasMore } };
  }
}

/** The order of the snapshot. */
const ORDER = sql`kind, time desc, id desc`;

/** The first rows of each kind after a place. */
function rowsAfter(place: Place | undefined, limit: number, form: Form): RawBuilder<unknown> {
  const first = place === undefined ? 0 : KIND_NAMES.indexOf(place.kind);
  const parts = KIND_NAMES.slice(first).map((name) => {
    const { time } = kindOf(name);
    const order = time === undefined ? sql`id desc` : sql`${sql.ref(time)} desc, id desc`;
    const after = place?.kind === name ? isAfter(place) : sql`true`;
    return sql`(${rowsOf(name, form, after)} order by ${order} limit ${limit})`;
  });
  return sql.join(parts, sql` union all `);
}

function isAfter({ kind, time, id }: Place): RawBuilder<unknown> {
  const column = kindOf(kind).time;
  if (column === undefined) return sql`id < ${id}::bigint`;
  return sql`(${sql.ref(column)}, id) < (${time}::timestamptz, ${id}::bigint)`;
}

/** The row of `entry`, if it is in the set. */
function rowOfEntry(form: Form): RawBuilder<unknown> {
  const parts = KIND_NAMES.map((name) => {
    const id = sql`case when entry.item_id like ${sql.lit(`${name}:%`)}
      then split_part(entry.item_id, ':', 2)::integer end`;
    return rowsOf(name, form, sql`id = ${id}`);
  });
  return sql.join(parts, sql` union all `);
}

function rowsOf(name: KindName, form: Form, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const { table, isMember, time, columns } = kindOf(name);
  const shown = columns[form];
  const members = shown
    .filter((column) => column !== 'content')
    .map((column) => [sql.lit(column), shownAs(column)]);
  return sql`
    select ${sql.lit(KIND_NAMES.indexOf(name))} as kind, ${sql.lit(`${name}:`)} || id as key, id,
      ${time === undefined ? sql`null::timestamptz` : sql.ref(time)} as time,
      json_build_object(${sql.join(members.flat())}) as members,
      ${shown.includes('content') ? sql`content` : sql`null::text`} as content
    from ${sql.table(table)} where ${isMember} and ${condition}`;
}

/** A column in JSON; times as the API shows them. */
function shownAs(column: string): RawBuilder<unknown> {
  if (!column.endsWith('_at')) return sql.ref(column);
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The first of these rows, with what each takes of a page. */
function sized(rows: RawBuilder<unknown>, limit: number): RawBuilder<SyncRow> {
  return sql`
    select *, octet_length(members::text) + coalesce(octet_length(content), 0) as bytes
    from (${rows}) as member order by ${ORDER} limit ${limit}`;
}

function itemOf({ key, members, content }: SyncRow): SyncItem {
  return { ...members, kind: nameOf(key).kind, ...(content !== null && { content }) } as SyncItem;
}

/** The kind and the id of a key. */
function nameOf(key: string): { kind: KindName; id: number } {
  const [kind, id] = key.split(':');
  return { kind: kind as KindName, id: Number(id) };
}

/** Writes a place for a cursor. */
function writePlace({ kind, time, id }: Place): string {
  return `${kind} ${time?.getTime() ?? ''} ${id}`;
}

/** Parses a place; undefined if `text` is not one. No time is out of PostgreSQL's range. */
function readPlace(text: string): Place | undefined {
  const [, name, time, id] = /^([a-z]+) (-\d{1,14}|\d{1,15})? ([1-9]\d{0,9})$/.exec(text) ?? [];
  const kind = KIND_NAMES.find((known) => known === name);
  if (kind === undefined) return undefined;
  return { kind, time: time === undefined ? null : new Date(Number(time)), id: Number(id) };
}
