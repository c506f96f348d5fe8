import { DatabaseSync } from 'node:sqlite';
import { StartError } from './start-error.ts';

/** SQLite's SQLITE_BUSY: another connection, in this process or in another one, holds the lock. */
const BUSY = 5;

/**
 * A lock that one living process holds on a file. The operating system lets go of it when the process ends,
 * however it ends, so there is no stale lock to recognise. Node has no file locks of its own; SQLite's
 * exclusive transaction on an empty file is one, on every platform.
 */
export class Lock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Takes the lock, or returns `undefined` when somebody holds it. The file is made when it is missing and
   * stays behind. Throws a {@link StartError} when the file cannot be written.
   */
  static tryAcquire(file: string): Lock | undefined {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(file);
      database.exec('BEGIN EXCLUSIVE');
      return new Lock(database);
    } catch (error) {
      database?.close();
      if (isBusy(error)) return undefined;
      throw new StartError(
        `${file} cannot be written (${String(error)}); set DATA_DIR to a directory that can`,
      );
    }
  }

  /** Lets go of the lock. */
  release(): void {
    this.#database.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
