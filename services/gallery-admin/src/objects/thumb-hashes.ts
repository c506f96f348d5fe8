import { hash } from 'node:crypto';
import type { Logger } from '@pressroom/common/log/logging';
import { type Kysely, sql } from 'kysely';
import pLimit from 'p-limit';
import type { Sharp } from 'sharp';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';
import { type StoredObject, unquoted } from './object-page.ts';

type Version = Pick<StoredObject, 'key' | 'etag'>;

/** More are dropped: the next thumbnail is the next chance. */
const MAX_WAITING = 100;

/** Days after the last thumbnail. */
const KEEP_DAYS = 180;

/** The ThumbHashes of pictures, kept in PostgreSQL as their thumbnails are made. */
export class ThumbHashes {
  readonly #db: Kysely<GalleryTables>;
  readonly #log: Pick<Logger, 'warn'>;
  /** One at a time: the connections are for requests. */
  readonly #keeping = pLimit(1);

  constructor(db: Kysely<GalleryTables>, log: Pick<Logger, 'warn'>) {
    this.#db = db;
    this.#log = log;
  }

  /** In base64, in the order of the objects; undefined where none is kept. */
  async of(bucket: Bucket, objects: readonly Version[]): Promise<(string | undefined)[]> {
    if (objects.length === 0) return [];
    const ids = objects.map((object) => idOf(bucket, object));
    const rows = await this.#db
      .selectFrom('gallery.look')
      .select(['id', 'thumbhash'])
      .where('id', '=', sql<Buffer>`any(${ids}::bytea[])`)
      .execute();
    const known = new Map(
      rows.map(({ id, thumbhash }) => [id.toString('hex'), thumbhash.toString('base64')]),
    );
    return ids.map((id) => known.get(id.toString('hex')));
  }

  async keep(bucket: Bucket, object: Version, pixels: Sharp): Promise<void> {
    if (this.#keeping.pendingCount >= MAX_WAITING) return;
    const failed = (error: unknown) => this.#log.warn({ err: error }, 'look_not_kept');
    try {
      const row = { id: idOf(bucket, object), thumbhash: await thumbHashOf(pixels) };
      // No request waits for the database.
      this.#keeping(() => this.#insert(row)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Removes those that no thumbnail was made of for long, and returns their number. */
  async prune(): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('gallery.look')
      .where('seen_at', '<', sql<Date>`now() - make_interval(days => ${KEEP_DAYS})`)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  async #insert(row: { id: Buffer; thumbhash: Buffer }): Promise<void> {
    await this.#db
      .insertInto('gallery.look')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql`now()` }))
      .execute();
  }
}

function idOf({ id, name }: Bucket, { key, etag }: Version): Buffer {
  return hash('sha256', JSON.stringify([id, name, key, unquoted(etag)]), 'buffer');
}

/**
 * The longer side of the picture that is hashed, in pixels: the hash has no detail that more of them would
 * show.
 */
const HASHED_SIDE = 32;

export async function thumbHashOf(picture: Sharp): Promise<Buffer> {
  const { rgbaToThumbHash } = await import('thumbhash');
  const { data, info } = await picture
    .resize({ width: HASHED_SIDE, height: HASHED_SIDE, fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data));
}
