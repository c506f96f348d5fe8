import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';
import { bareEtag } from './etag.ts';
import type { Completion } from './schema.ts';

/** How long a completion is remembered, in days: after that, asking again finds no upload. */
const KEPT_DAYS = 7;

/** What is remembered of a completion. */
export interface CompletedUpload {
  /** By this the object is known to be the one that the upload made. */
  etag: string;
  /** In bytes. */
  size: number;
}

/**
 * Remembers in PostgreSQL what each upload was completed to, for a week: a client that did not get the answer
 * asks again, on any replica, and gets it. It is noted before the store is asked, so that an answer that
 * nobody noted is known as well.
 */
export class CompletedUploads {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Notes what `completion` is about to make; forgets what is older than a week. */
  async begin(bucket: Bucket, completion: Completion, expected: CompletedUpload): Promise<void> {
    await this.#db
      .deleteFrom('gallery.completed_upload')
      .where('begun_at', '<=', sql<Date>`now() - ${KEPT_DAYS} * interval '1 day'`)
      .execute();
    await this.#db
      .insertInto('gallery.completed_upload')
      .values({ id: idOf(bucket, completion), ...expected })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }

  /** Notes the entity tag that the store has told; some make it of more than the parts. */
  async finish(bucket: Bucket, completion: Completion, etag: string): Promise<void> {
    await this.#db
      .updateTable('gallery.completed_upload')
      .set({ etag })
      .where('id', '=', idOf(bucket, completion))
      .execute();
  }

  /**
   * What `completion`, with exactly these parts, has made or would have made; undefined when it was never
   * begun.
   */
  async find(bucket: Bucket, completion: Completion): Promise<CompletedUpload | undefined> {
    return this.#db
      .selectFrom('gallery.completed_upload')
      .select(['etag', 'size'])
      .where('id', '=', idOf(bucket, completion))
      .executeTakeFirst();
  }
}

function idOf(bucket: Bucket, { key, uploadId, parts }: Completion): Buffer {
  const named = parts.map(({ partNumber, etag }) => [partNumber, bareEtag(etag)] as const);
  const identity = [bucket.id, bucket.name, key, uploadId, named.sort(([a], [b]) => a - b)];
  return hash('sha256', JSON.stringify(identity), 'buffer');
}
