import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The file that tells commands in other terminals where the embedded database is. It holds the password, so
 * only its owner can read it, and it is there only while the database runs.
 */
export class DatabaseNote {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'database-url');
  }

  /** Whether the note is there: somebody runs, or was killed. */
  exists(): boolean {
    return existsSync(this.#file);
  }

  /** Writes the address, whole or not at all. */
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
