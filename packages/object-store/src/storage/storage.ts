import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Blobs } from './blobs.ts';
import { Buckets } from './buckets.ts';
import { Contents } from './contents.ts';
import { openIndex, transaction } from './index-database.ts';
import { Objects } from './objects.ts';
import { Uploads } from './uploads.ts';

/** Bytes that were taken in. */
export interface ReceivedContent {
  /** Id of the content, see `Contents`. */
  id: string;
  /** Bytes. */
  size: number;
}

/**
 * All that a store keeps, below one directory: an index (which buckets, objects and uploads there are) and
 * blobs (their bytes). A blob is on disk before the index refers to it and goes after the index has
 * forgotten it, so that a process killed at any moment leaves whole objects and, at worst, a blob too many.
 */
export class Storage {
  readonly blobs: Blobs;
  readonly contents: Contents;
  readonly buckets: Buckets;
  readonly objects: Objects;
  readonly uploads: Uploads;
  readonly #db: DatabaseSync;

  private constructor(db: DatabaseSync, blobs: Blobs) {
    this.#db = db;
    this.blobs = blobs;
    this.contents = new Contents(db, blobs);
    this.buckets = new Buckets(db);
    this.objects = new Objects(db, this.contents);
    this.uploads = new Uploads(db, this.contents);
  }

  /**
   * Opens what is kept below `dataDir`, which is made when it is not there.
   *
   * @throws Error when another process uses the directory
   */
  static async open(dataDir: string): Promise<Storage> {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // First the lock that the index is, then the files that only its owner may touch.
    const db = openIndex(join(dataDir, 'index.sqlite'));
    try {
      const blobs = await Blobs.open(dataDir);
      const known = db.prepare('SELECT 1 FROM segment WHERE blob = ? LIMIT 1');
      await blobs.sweep((id) => known.get(id) !== undefined);
      return new Storage(db, blobs);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Makes changes that belong together: all of them are on disk afterwards, or none were made. */
  async change<T>(work: () => T): Promise<T> {
    const result = transaction(this.#db, work);
    await this.contents.reclaim();
    return result;
  }

  /**
   * Takes bytes in and makes the change that refers to them.
   *
   * @param commit is given the content that the bytes have become, inside the transaction
   * @throws what `source` or `commit` throw; the bytes are gone then
   */
  async receive<T>(source: AsyncIterable<Uint8Array>, commit: (content: ReceivedContent) => T): Promise<T> {
    const blob = await this.blobs.write(source);
    const segments = blob ? [{ blob: blob.id, start: 0, length: blob.size }] : [];
    try {
      return await this.change(() => commit({ id: this.contents.create(segments), size: blob?.size ?? 0 }));
    } catch (error) {
      if (blob) await this.blobs.remove(blob.id);
      throw error;
    }
  }

  /** Closes the index and with it gives up the lock on the directory. */
  async close(): Promise<void> {
    this.#db.close();
    await this.blobs.close();
  }
}
