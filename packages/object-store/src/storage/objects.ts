import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Checksum } from '../checksums.ts';
import { checkWrite, type WriteConditions } from '../conditions.ts';
import { S3Error } from '../errors.ts';
import type { ObjectHeaders } from '../object-headers.ts';
import type { Contents } from './contents.ts';
import { type KeyBound, type KeyBytes, keyBytes } from './keys.ts';

/** An object, its bytes apart. */
export interface StoredObject {
  /** Bytes. */
  size: number;
  /** Without quotes. */
  etag: string;
  /** ms since 1970. */
  modified: number;
  /** Id of what it consists of, see `Contents`. */
  content: string;
  headers: ObjectHeaders;
  checksum: Checksum | undefined;
  /** Id of the multipart upload that made it. */
  upload: string | undefined;
}

/** What a listing shows of an object. */
export interface ListedObject {
  key: KeyBytes;
  size: number;
  etag: string;
  modified: number;
}

interface ObjectRow {
  size: number;
  etag: string;
  modified: number;
  content: string;
  headers: string;
  checksum: string | null;
  upload: string | null;
}

/** Which objects there are. The methods that change something are called in a transaction of the caller. */
export class Objects {
  readonly #contents: Contents;
  readonly #select: StatementSync;
  readonly #upsert: StatementSync;
  readonly #delete: StatementSync;
  readonly #from: StatementSync;
  readonly #after: StatementSync;

  constructor(db: DatabaseSync, contents: Contents) {
    this.#contents = contents;
    this.#select = db.prepare('SELECT * FROM object WHERE bucket = ? AND key = ?');
    this.#upsert = db.prepare('INSERT OR REPLACE INTO object VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM object WHERE bucket = ? AND key = ?');
    const list = (comparison: string) =>
      db.prepare(
        `SELECT key, size, etag, modified FROM object
         WHERE bucket = ? AND key ${comparison} ? AND key < ? ORDER BY key`,
      );
    this.#from = list('>=');
    this.#after = list('>');
  }

  /** The object, or undefined when there is none. */
  find(bucket: string, key: string): StoredObject | undefined {
    const row = this.#select.get(bucket, keyBytes(key)) as ObjectRow | undefined;
    if (!row) return undefined;
    return {
      size: row.size,
      etag: row.etag,
      modified: row.modified,
      content: row.content,
      headers: JSON.parse(row.headers) as ObjectHeaders,
      checksum: row.checksum === null ? undefined : (JSON.parse(row.checksum) as Checksum),
      upload: row.upload ?? undefined,
    };
  }

  /** @throws S3Error NoSuchKey */
  require(bucket: string, key: string): StoredObject {
    const object = this.find(bucket, key);
    if (!object) throw new S3Error('NoSuchKey');
    return object;
  }

  /** Puts an object in the place of what is there. @throws S3Error when a condition does not hold */
  put(bucket: string, key: string, object: StoredObject, conditions: WriteConditions): void {
    this.#replace(bucket, key, conditions);
    this.#upsert.run(
      bucket,
      keyBytes(key),
      object.size,
      object.etag,
      object.modified,
      object.content,
      JSON.stringify(object.headers),
      object.checksum ? JSON.stringify(object.checksum) : null,
      object.upload ?? null,
    );
  }

  /** Removes an object if it exists. @throws S3Error when a condition does not hold */
  delete(bucket: string, key: string, conditions: WriteConditions): void {
    this.#replace(bucket, key, conditions);
    this.#delete.run(bucket, keyBytes(key));
  }

  /** The objects whose keys lie between the bounds, in the order of their keys; `to` is exclusive. */
  between(bucket: string, from: KeyBound, to: Uint8Array): IteratorObject<ListedObject> {
    const statement = from.inclusive ? this.#from : this.#after;
    return statement.iterate(bucket, from.bytes, to) as unknown as IteratorObject<ListedObject>;
  }

  #replace(bucket: string, key: string, conditions: WriteConditions): void {
    const existing = this.find(bucket, key);
    checkWrite(conditions, existing);
    if (existing) this.#contents.release(existing.content);
  }
}
