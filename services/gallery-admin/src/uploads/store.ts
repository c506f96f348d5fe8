import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';
import { bareEtag } from './etag.ts';
import type { Completion } from './schema.ts';

/** For how many days a completion is remembered; after that, a repeated request finds no upload. */
const KEPT_DAYS = 7;

/** The record of a completion. */
export interface CompletedUpload {
  /** Identifies the object as the one that the upload created. */
  etag: string;
  /** In bytes. */
  size: number;
}

/**
 * Records in PostgreSQL, for a week, what each upload was completed to, so that a client that missed the
 * answer can ask again on any replica. The record is written before the store is asked, so that it exists
 * even if the service dies before the answer arrives.
 */
export class CompletedUploads {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Records what `completion` is about to create; deletes records older than a week. */
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

  /** Records the entity tag that the store returned; some derive it from more than the parts. */
  async finish(bucket: Bucket, completion: Completion, etag: string): Promise<void> {
    await this.#db
      .updateTable('gallery.completed_upload')
      .set({ etag })
      .where('id', '=', idOf(bucket, completion))
      .execute();
  }

  /**
   * What `completion`, with exactly these parts, created or would have created; undefined if it was never
   * started.
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
