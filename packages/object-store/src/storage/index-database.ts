import { DatabaseSync } from 'node:sqlite';

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
export function openIndex(file: string): DatabaseSync {
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
export function transaction<T>(db: DatabaseSync, work: () => T): T {
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
