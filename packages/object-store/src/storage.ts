import { randomUUIDv7 } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import type { CorsRule } from './cors.ts';
import { checkWrite, type ObjectHeaders, type WriteConditions } from './objects.ts';
import type { Checksum, ChecksumAlgorithm } from './payload.ts';
import { S3Error } from './response.ts';

/** Bytes that were taken in. */
interface ReceivedContent {
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

interface Bucket {
  name: string;
  /** ms since 1970. */
  created: number;
}

class Buckets {
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #list: StatementSync;
  readonly #delete: StatementSync;
  readonly #hasObjects: StatementSync;
  readonly #setCors: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO bucket (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#select = db.prepare('SELECT name, created, cors FROM bucket WHERE name = ?');
    this.#list = db.prepare('SELECT name, created FROM bucket ORDER BY name');
    this.#delete = db.prepare('DELETE FROM bucket WHERE name = ?');
    this.#hasObjects = db.prepare('SELECT 1 FROM object WHERE bucket = ? LIMIT 1');
    this.#setCors = db.prepare('UPDATE bucket SET cors = ? WHERE name = ?');
  }

  /** Creates a bucket; an existing one is left unchanged. */
  create(name: string, now: number): void {
    this.#insert.run(name, now);
  }

  list(): Bucket[] {
    return this.#list.all() as unknown as Bucket[];
  }

  /** @throws S3Error NoSuchBucket */
  require(name: string): void {
    if (!this.#select.get(name)) throw new S3Error('NoSuchBucket');
  }

  /** @throws S3Error NoSuchBucket, BucketNotEmpty */
  delete(name: string): void {
    this.require(name);
    if (this.#hasObjects.get(name)) throw new S3Error('BucketNotEmpty');
    this.#delete.run(name);
  }

  /** The CORS rules of a bucket; none when it has none, or does not exist. */
  cors(name: string): CorsRule[] {
    const cors = this.#select.get(name)?.cors;
    return typeof cors === 'string' ? (JSON.parse(cors) as CorsRule[]) : [];
  }

  /** Replaces the CORS rules of a bucket; no rules remove them. */
  setCors(name: string, rules: CorsRule[]): void {
    this.#setCors.run(rules.length > 0 ? JSON.stringify(rules) : null, name);
  }
}

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

/** An object as a listing shows it. */
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

/** Stores the objects. Methods that change something are called in a transaction of the caller. */
class Objects {
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

/** Stores the open uploads. Methods that change something are called in a transaction of the caller. */
class Uploads {
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

  deleteAll(bucket: string): void {
    for (const { id } of this.#ofBucket.all(bucket) as unknown as { id: string }[]) this.delete(id);
  }
}

export interface Segment {
  blob: string;
  /** Offset of the first byte in the blob. */
  start: number;
  /** Bytes. */
  length: number;
}

/**
 * Stores the content of objects and parts: ranges of blobs, in order. A copy is another list of the same
 * ranges, and a completed upload the list of its parts, so neither copies bytes. A blob is removed with the
 * last content that refers to it, but not while it is being read. Methods that change something are called
 * inside a transaction of the caller.
 */
export class Contents {
  readonly #blobs: Blobs;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #delete: StatementSync;
  readonly #countReferences: StatementSync;
  readonly #readers = new Map<string, number>();
  readonly #unreferenced = new Set<string>();

  constructor(db: DatabaseSync, blobs: Blobs) {
    this.#blobs = blobs;
    this.#insert = db.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?)');
    this.#select = db.prepare('SELECT blob, start, length FROM segment WHERE content = ? ORDER BY position');
    this.#delete = db.prepare('DELETE FROM segment WHERE content = ?');
    this.#countReferences = db.prepare(
      'SELECT count(*) AS n FROM (SELECT 1 FROM segment WHERE blob = ? LIMIT 1)',
    );
  }

  /** Makes a content of these segments and returns its id. */
  create(segments: Iterable<Segment>): string {
    const content = randomUUIDv7();
    let position = 0;
    for (const { blob, start, length } of segments) {
      this.#insert.run(content, position, blob, start, length);
      position += 1;
    }
    return content;
  }

  /** The segments with `length` bytes of a content from `start`. */
  segments(content: string, start: number, length: number): Segment[] {
    const found: Segment[] = [];
    let offset = 0;
    for (const row of this.#select.all(content) as unknown as Segment[]) {
      const from = Math.max(start, offset);
      const to = Math.min(start + length, offset + row.length);
      if (from < to) found.push({ blob: row.blob, start: row.start + from - offset, length: to - from });
      offset += row.length;
    }
    return found;
  }

  /** Forgets a content. Its blobs go at the next `reclaim`, those excepted that something else refers to. */
  release(content: string): void {
    const segments = this.#select.all(content) as unknown as Segment[];
    this.#delete.run(content);
    for (const { blob } of segments) this.#unreferenced.add(blob);
  }

  /**
   * Removes the files of released blobs. Called after the transaction that released them. A file that
   * cannot be removed now goes at the next start.
   */
  async reclaim(): Promise<void> {
    const removable = [...this.#unreferenced].filter((blob) => !this.#readers.has(blob));
    for (const blob of removable) this.#unreferenced.delete(blob);
    const orphans = removable.filter((blob) => !this.#isReferenced(blob));
    await Promise.allSettled(orphans.map((blob) => this.#blobs.remove(blob)));
  }

  /** The bytes of these segments. Their blobs stay until the stream is closed, which the caller sees to. */
  read(segments: Segment[]): Readable {
    const release = this.hold(segments);
    return Readable.from(this.#stream(segments), { objectMode: false }).once('close', release);
  }

  /** Keeps the blobs of these segments until the function that it returns is called. */
  hold(segments: Segment[]): () => void {
    for (const { blob } of segments) this.#readers.set(blob, (this.#readers.get(blob) ?? 0) + 1);
    return () => this.#leave(segments);
  }

  async *#stream(segments: Segment[]): AsyncGenerator<Uint8Array> {
    for (const { blob, start, length } of segments) yield* this.#blobs.read(blob, start, length);
  }

  #leave(segments: Segment[]): void {
    for (const { blob } of segments) {
      const readers = (this.#readers.get(blob) ?? 0) - 1;
      if (readers > 0) this.#readers.set(blob, readers);
      else this.#readers.delete(blob);
    }
    void this.reclaim();
  }

  #isReferenced(blob: string): boolean {
    return this.#countReferences.get(blob)?.n !== 0;
  }
}

/** One immutable file, named by an id that is independent of its content. */
interface Blob {
  id: string;
  /** Bytes. */
  size: number;
}

const READ_BUFFER_BYTES = 256 * 1024;

/**
 * The files that hold the bytes of objects and parts. A blob appears in its directory only when it is
 * complete and on disk: it is written under another name, synced, renamed, and the directory is synced.
 */
class Blobs {
  readonly #incoming: string;
  readonly #directory: string;
  // Undefined on Windows, which syncs no directories.
  readonly #directoryHandle: FileHandle | undefined;

  private constructor(incoming: string, directory: string, handle: FileHandle | undefined) {
    this.#incoming = incoming;
    this.#directory = directory;
    this.#directoryHandle = handle;
  }

  /** Opens the blobs below `dataDir`, and removes files that a killed process left half written. */
  static async open(dataDir: string): Promise<Blobs> {
    const incoming = join(dataDir, 'incoming');
    const directory = join(dataDir, 'blobs');
    await rm(incoming, { recursive: true, force: true });
    await mkdir(incoming, { recursive: true });
    await mkdir(directory, { recursive: true });
    const handle = process.platform === 'win32' ? undefined : await open(directory, 'r');
    return new Blobs(incoming, directory, handle);
  }

  /**
   * Writes all of `source` and returns the blob, which is on disk by then. No bytes: no blob.
   *
   * @throws whatever `source` throws; nothing is left behind then.
   */
  async write(source: AsyncIterable<Uint8Array>): Promise<Blob | undefined> {
    const id = randomUUIDv7();
    const temporary = join(this.#incoming, id);
    try {
      const size = await writeFile(temporary, source);
      if (size === 0) {
        await rm(temporary);
        return undefined;
      }
      await rename(temporary, this.#path(id));
      await this.#directoryHandle?.sync();
      return { id, size };
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** The bytes from `start`, `length` of them. */
  read(id: string, start: number, length: number): Readable {
    const end = start + length - 1;
    return createReadStream(this.#path(id), { start, end, highWaterMark: READ_BUFFER_BYTES });
  }

  /** Removes a blob if it exists. */
  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  /** Removes the blobs that nothing refers to: those whose writer was killed before it could say so. */
  async sweep(isReferenced: (id: string) => boolean): Promise<number> {
    const orphans = (await readdir(this.#directory)).filter((id) => !isReferenced(id));
    for (const id of orphans) await this.remove(id);
    return orphans.length;
  }

  async close(): Promise<void> {
    await this.#directoryHandle?.close();
  }

  #path(id: string): string {
    return join(this.#directory, id);
  }
}

async function writeFile(path: string, source: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx');
  try {
    let size = 0;
    for await (const chunk of source) {
      await writeFully(file, chunk);
      size += chunk.byteLength;
    }
    if (size > 0) await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

async function writeFully(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < chunk.byteLength) {
    const { bytesWritten } = await file.write(chunk, offset);
    offset += bytesWritten;
  }
}

/**
 * A key as stored in the index. Keys are ordered by the bytes of their UTF-8, which is the order that S3
 * lists them in; JavaScript strings compare by UTF-16 units, which differs beyond the basic plane.
 */
export type KeyBytes = Uint8Array;

/** A place in the order of keys where a listing goes on. */
export interface KeyBound {
  bytes: Uint8Array;
  /** True to include the key that equals the bound. */
  inclusive: boolean;
}

/** The bytes of a key. */
export function keyBytes(key: string): KeyBytes {
  return Buffer.from(key, 'utf8');
}

/** The key that the bytes are. */
export function keyText(bytes: KeyBytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The first bytes that are greater than every key with this prefix: 0xFF does not occur in UTF-8. */
export function prefixEnd(prefix: Uint8Array): Uint8Array {
  return Buffer.concat([prefix, Buffer.of(0xff)]);
}

export function laterBound(left: KeyBound, right: KeyBound): KeyBound {
  const order = Buffer.compare(left.bytes, right.bytes);
  if (order !== 0) return order > 0 ? left : right;
  return left.inclusive ? right : left;
}

const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE bucket (
    name TEXT PRIMARY KEY,
    created INTEGER NOT NULL,
    cors TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE object (
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    modified INTEGER NOT NULL,
    content TEXT NOT NULL,
    headers TEXT NOT NULL,
    checksum TEXT,
    upload TEXT,
    PRIMARY KEY (bucket, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE upload (
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    id TEXT NOT NULL UNIQUE,
    initiated INTEGER NOT NULL,
    headers TEXT NOT NULL,
    checksum_algorithm TEXT,
    PRIMARY KEY (bucket, key, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE part (
    upload TEXT NOT NULL,
    number INTEGER NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    modified INTEGER NOT NULL,
    content TEXT NOT NULL,
    checksum TEXT,
    PRIMARY KEY (upload, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE segment (
    content TEXT NOT NULL,
    position INTEGER NOT NULL,
    blob TEXT NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (content, position)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX segment_blob ON segment (blob);
`;

/**
 * Opens the index of a store: what is kept under which key. SQLite gives it what an object store needs of
 * one: order by bytes (keys are BLOBs), transactions that survive a killed process, and a lock that the
 * operating system releases with the process.
 *
 * @throws Error when another process has the file open, or when a newer version wrote it.
 */
function openIndex(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    lock(db, file);
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Runs `work` in a transaction: all of its changes are on disk when this returns, or none were made. */
function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function lock(db: DatabaseSync, file: string): void {
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('PRAGMA journal_mode = WAL');
    db.exec('PRAGMA synchronous = FULL');
    db.exec('BEGIN EXCLUSIVE; COMMIT');
  } catch (cause) {
    if (!isLocked(cause)) throw cause;
    throw new Error(
      `The object store ${file} is in use by another process: stop that one, or choose another directory`,
      { cause },
    );
  }
}

function isLocked(error: unknown): boolean {
  const sqliteBusy = 5;
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}

function migrate(db: DatabaseSync, file: string): void {
  const version = db.prepare('PRAGMA user_version').get()?.user_version;
  if (version === SCHEMA_VERSION) return;
  if (version !== 0) {
    throw new Error(`The object store ${file} has format ${version}, this version reads ${SCHEMA_VERSION}`);
  }
  transaction(db, () => db.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}`));
}
