import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The file with the embedded database's address for commands in other terminals. It contains the password, so
 * only its owner can read it, and it exists only while the database runs.
 */
export class DatabaseNote {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'database-url');
  }

  /** Whether the note exists: a start is running or was killed. */
  exists(): boolean {
    return existsSync(this.#file);
  }

  write(url: string): void {
    mkdirSync(path.dirname(this.#file), { recursive: true });
    const partial = `${this.#file}.new`;
    rmSync(partial, { force: true });
    writeFileSync(partial, `${url}\n`, { mode: 0o600 });
    renameSync(partial, this.#file);
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
