import { randomUUIDv7 } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Checksum, ChecksumAlgorithm } from '../checksums.ts';
import { S3Error } from '../errors.ts';
import type { ObjectHeaders } from '../object-headers.ts';
import type { Contents } from './contents.ts';
import { keyBytes } from './keys.ts';

/** A multipart upload that is neither completed nor aborted. */
export interface Upload {
  id: string;
  headers: ObjectHeaders;
  checksumAlgorithm: ChecksumAlgorithm | undefined;
}

/** A part of an upload, its bytes apart. */
export interface Part {
  /** 1 to 10,000. */
  number: number;
  /** Bytes. */
  size: number;
  /** Without quotes. */
  etag: string;
  /** ms since 1970. */
  modified: number;
  /** Id of what it consists of, see `Contents`. */
  content: string;
  checksum: Checksum | undefined;
}

interface UploadRow {
  headers: string;
  checksum_algorithm: ChecksumAlgorithm | null;
}

type PartRow = Omit<Part, 'checksum'> & { checksum: string | null };

/**
 * Which uploads are going on. The methods that change something are called in a transaction of the caller.
 */
export class Uploads {
  readonly #contents: Contents;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #delete: StatementSync;
  readonly #ofBucket: StatementSync;
  readonly #upsertPart: StatementSync;
  readonly #selectPart: StatementSync;
  readonly #listParts: StatementSync;
  readonly #deleteParts: StatementSync;

  constructor(db: DatabaseSync, contents: Contents) {
    this.#contents = contents;
    this.#insert = db.prepare('INSERT INTO upload VALUES (?, ?, ?, ?, ?, ?)');
    this.#select = db.prepare('SELECT * FROM upload WHERE bucket = ? AND key = ? AND id = ?');
    this.#delete = db.prepare('DELETE FROM upload WHERE id = ?');
    this.#ofBucket = db.prepare('SELECT id FROM upload WHERE bucket = ?');
    this.#upsertPart = db.prepare('INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#selectPart = db.prepare('SELECT * FROM part WHERE upload = ? AND number = ?');
    this.#listParts = db.prepare(
      'SELECT * FROM part WHERE upload = ? AND number > ? ORDER BY number LIMIT ?',
    );
    this.#deleteParts = db.prepare('DELETE FROM part WHERE upload = ?');
  }

  /** Begins an upload and returns its id. Ids ascend with time. */
  create(bucket: string, key: string, upload: Omit<Upload, 'id'>, now: number): string {
    const id = randomUUIDv7();
    const { headers, checksumAlgorithm } = upload;
    this.#insert.run(bucket, keyBytes(key), id, now, JSON.stringify(headers), checksumAlgorithm ?? null);
    return id;
  }

  /** The upload, or undefined when it is not going on. */
  find(bucket: string, key: string, id: string): Upload | undefined {
    const row = this.#select.get(bucket, keyBytes(key), id) as UploadRow | undefined;
    if (!row) return undefined;
    const headers = JSON.parse(row.headers) as ObjectHeaders;
    return { id, headers, checksumAlgorithm: row.checksum_algorithm ?? undefined };
  }

  /** @throws S3Error NoSuchUpload */
  require(bucket: string, key: string, id: string): Upload {
    const upload = this.find(bucket, key, id);
    if (!upload) throw new S3Error('NoSuchUpload');
    return upload;
  }

  /** Puts a part in the place of one with its number. */
  putPart(upload: string, part: Part): void {
    const existing = this.#selectPart.get(upload, part.number) as PartRow | undefined;
    if (existing) this.#contents.release(existing.content);
    const { number, size, etag, modified, content, checksum } = part;
    this.#upsertPart.run(
      upload,
      number,
      size,
      etag,
      modified,
      content,
      checksum ? JSON.stringify(checksum) : null,
    );
  }

  /** The parts with numbers above `after`, by number, `limit` at most. */
  parts(upload: string, after: number, limit: number): Part[] {
    const rows = this.#listParts.all(upload, after, limit) as unknown as PartRow[];
    return rows.map(({ checksum, ...part }) => ({
      ...part,
      checksum: checksum === null ? undefined : (JSON.parse(checksum) as Checksum),
    }));
  }

  /** Ends an upload: it and its parts are forgotten, and the bytes of those that nothing else refers to. */
  delete(upload: string): void {
    for (const part of this.parts(upload, 0, -1)) this.#contents.release(part.content);
    this.#deleteParts.run(upload);
    this.#delete.run(upload);
  }

  /** Ends all uploads of a bucket. */
  deleteAll(bucket: string): void {
    for (const { id } of this.#ofBucket.all(bucket) as unknown as { id: string }[]) this.delete(id);
  }
}
