import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';

/** For how many minutes an archive can be downloaded. */
const KEPT_MIN = 60;

/** What the archives contain that somebody is about to download. */
export class ArchiveStore {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Records the paths of an archive, and deletes the records of old ones; resolves to its id. */
  async create(bucket: Bucket, paths: readonly string[]): Promise<string> {
    const id = randomUUID();
    await this.#db
      .deleteFrom('gallery.archive')
      .where('created_at', '<=', sql<Date>`now() - ${KEPT_MIN} * interval '1 minute'`)
      .execute();
    await this.#db
      .insertInto('gallery.archive')
      .values({ id, bucket_id: bucket.id, bucket_name: bucket.name, paths: JSON.stringify(paths) })
      .execute();
    return id;
  }

  /** The paths of an archive of the bucket; undefined if there is none, or none any longer. */
  async find(bucket: Bucket, id: string): Promise<readonly string[] | undefined> {
    const found = await this.#db
      .selectFrom('gallery.archive')
      .select('paths')
      .where('id', '=', id)
      .where('bucket_id', '=', bucket.id)
      .where('bucket_name', '=', bucket.name)
      .where('created_at', '>', sql<Date>`now() - ${KEPT_MIN} * interval '1 minute'`)
      .executeTakeFirst();
    return found?.paths;
  }
}
