import { DatabaseSync } from 'node:sqlite';
import { StartError } from './start-error.ts';

/** SQLite's SQLITE_BUSY: another connection, in this process or in another one, holds the lock. */
const BUSY = 5;

/**
 * A file lock held by one running process. The operating system releases it when the process ends, however it
 * ends, so there are no stale locks. Node has no file locks; SQLite's exclusive transaction on an empty file
 * works as one on every platform.
 */
export class Lock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Takes the lock, or returns `undefined` if it is held. The file is created if missing and is not removed.
   * Throws a {@link StartError} if the file cannot be written.
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
        `${file} cannot be written (${String(error)}); set DATA_DIR to a writable directory`,
      );
    }
  }

  release(): void {
    this.#database.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
