import { SecretBox } from '@pressroom/common/secrets/secret-box';
import type { Kysely } from 'kysely';
import type { GalleryTables } from '../tables.ts';
import { writeSetting } from './setting.ts';
import { BUCKET, idOf, storedBucket } from './store.ts';

/** What {@link resealBuckets} has found, by the names of the saved buckets. */
export interface Resealed {
  /** Encrypted with the new key now. */
  resealed: string[];
  /** Encrypted with the new key already. */
  kept: string[];
  /** Encrypted with neither key; nothing was changed. */
  unreadable: string[];
}

/**
 * Encrypts the keys of saved buckets with `key` that are encrypted with `previous` (32 bytes each), in one
 * transaction. May be repeated.
 */
export async function resealBuckets(
  db: Kysely<GalleryTables>,
  key: Buffer,
  previous: Buffer | undefined,
): Promise<Resealed> {
  const [current, both] = [new SecretBox(key), new SecretBox(key, previous)];
  const found: Resealed = { resealed: [], kept: [], unreadable: [] };
  await db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('gallery.setting')
      .select(['key', 'value'])
      .where('key', 'like', `${BUCKET}%`)
      .orderBy('key')
      .forUpdate()
      .execute();
    for (const row of rows) {
      const [id, bucket] = [idOf(row.key), storedBucket.parse(row.value)];
      if (current.open(bucket.credentials, id) !== undefined) {
        found.kept.push(bucket.name);
        continue;
      }
      const secret = both.open(bucket.credentials, id);
      if (secret === undefined) {
        found.unreadable.push(bucket.name);
        continue;
      }
      await writeSetting(tx, row.key, { ...bucket, credentials: current.seal(secret, id) });
      found.resealed.push(bucket.name);
    }
  });
  return found;
}
