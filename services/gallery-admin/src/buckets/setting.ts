import { type Kysely, sql } from 'kysely';
import type { GalleryTables } from '../tables.ts';

/** Creates or replaces the setting `key`. */
export async function writeSetting(db: Kysely<GalleryTables>, key: string, value: unknown): Promise<void> {
  const json = JSON.stringify(value);
  await db
    .insertInto('gallery.setting')
    .values({ key, value: json })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({ value: json, updated_at: sql<Date>`clock_timestamp()` }),
    )
    .execute();
}

/** Removes the setting `key`. False if it did not exist. */
export async function removeSetting(db: Kysely<GalleryTables>, key: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('gallery.setting')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
