import { hash } from 'node:crypto';
import { PreparedQuery } from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';
import type { StoredObject } from './object-page.ts';

/** What of an object tells when it was written. */
type Dated = Pick<StoredObject, 'key' | 'lastModified'>;

/** An object at its source, and its copy at the destination. */
export interface MovedObject {
  source: Dated;
  copy: Dated;
}

interface DateRow {
  /** Of the key in the list, from 1 on. */
  place: number;
  stored_at: Date;
  modified_at: Date;
}

/** Reads the keys as JSON, from which PostgreSQL makes each `id` as {@link idOf} does, letter by letter. */
const ofKeys = new PreparedQuery<GalleryTables, { begin: string; keys: string }, DateRow>((db, value) =>
  db
    .selectFrom(
      sql<{
        key: string;
        place: number;
      }>`json_array_elements(${value('keys')}::json) with ordinality`.as<'listed'>(sql`listed (key, place)`),
    )
    .innerJoin('gallery.original_date as original', (join) =>
      join.on(
        'id',
        '=',
        sql<Buffer>`sha256(convert_to(${value('begin')} || listed.key::text || ']', 'UTF8'))`,
      ),
    )
    .select(['place', 'stored_at', 'modified_at']),
);

/**
 * Records in PostgreSQL when moved objects were written. S3 has no move, its copies are dated anew, and its
 * listings show no metadata that could keep the date.
 */
export class OriginalDates {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** When each object was written, in their order: before it was moved, if it has been. */
  async of(bucket: Bucket, objects: readonly Dated[]): Promise<Date[]> {
    if (objects.length === 0) return [];
    const begin = `${JSON.stringify([bucket.id, bucket.name]).slice(0, -1)},`;
    const keys = JSON.stringify(objects.map(({ key }) => key));
    const rows = await ofKeys.execute(this.#db, { begin, keys });
    const dates = objects.map(({ lastModified }) => lastModified);
    for (const { place, stored_at, modified_at } of rows) {
      const stored = dates[place - 1] ?? new Date(0);
      if (stored_at.getTime() === inSeconds(stored).getTime()) dates[place - 1] = modified_at;
    }
    return dates;
  }

  /** Records that copies were written when their sources were. */
  async keep(bucket: Bucket, moved: readonly MovedObject[]): Promise<void> {
    if (moved.length === 0) return;
    const dates = await this.of(
      bucket,
      moved.map(({ source }) => source),
    );
    const rows = moved.map(({ source, copy }, index) => ({
      id: idOf(bucket, copy),
      stored_at: inSeconds(copy.lastModified),
      modified_at: dates[index] ?? source.lastModified,
    }));
    await this.#db
      .insertInto('gallery.original_date')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((row) => ({
            stored_at: row.ref('excluded.stored_at'),
            modified_at: row.ref('excluded.modified_at'),
          }))
          // What an interrupted run has recorded of the same copy is right.
          .whereRef('gallery.original_date.stored_at', '<>', 'excluded.stored_at'),
      )
      .execute();
  }

  /** Deletes the records of objects that are gone. */
  async forget(bucket: Bucket, gone: readonly Pick<Dated, 'key'>[]): Promise<void> {
    const ids = gone.map((object) => idOf(bucket, object));
    await this.#db
      .deleteFrom('gallery.original_date')
      .where('id', '=', sql<Buffer>`any(${ids}::bytea[])`)
      .execute();
  }
}

function idOf({ id, name }: Bucket, { key }: Pick<Dated, 'key'>): Buffer {
  return hash('sha256', JSON.stringify([id, name, key]), 'buffer');
}

/** Stores date objects by the second, some in listings by the millisecond. */
function inSeconds(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
