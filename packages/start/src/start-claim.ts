import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Lock } from '@pressroom/embedded-postgres/lock';
import { StartError } from '@pressroom/embedded-postgres/start-error';

/**
 * A data directory in use by one start. Another start on it is refused, with the addresses of this one's
 * services. The operating system releases the directory when the start ends, however it ends.
 */
export class StartClaim {
  readonly #lock: Lock;
  readonly #note: string;

  private constructor(lock: Lock, note: string) {
    this.#lock = lock;
    this.#note = note;
  }

  /** Claims an existing directory. Throws a {@link StartError} if another start uses it. */
  static take(dataDir: string): StartClaim {
    const note = path.join(dataDir, 'running');
    const lock = Lock.tryAcquire(path.join(dataDir, 'start.lock'));
    if (lock === undefined) throw new StartError(refusal(dataDir, note));
    // What a killed start has left.
    rmSync(note, { force: true });
    return new StartClaim(lock, note);
  }

  /** Records for other starts where everything is, one line each. */
  announce(lines: readonly string[]): void {
    writeFileSync(this.#note, lines.map((line) => `${line}\n`).join(''));
  }

  release(): void {
    rmSync(this.#note, { force: true });
    this.#lock.release();
  }
}

function refusal(dataDir: string, note: string): string {
  const otherwise = `To run a second one, set a different DATA_DIR and different ports.`;
  const lines = read(note);
  if (lines === '') {
    return `Pressroom is already starting or stopping on ${dataDir}: wait, or stop it (Ctrl-C). ${otherwise}`;
  }
  return `Pressroom is already running on ${dataDir}:\n\n${lines}\nStop it with Ctrl-C in its terminal. ${otherwise}`;
}

function read(note: string): string {
  try {
    return readFileSync(note, 'utf8');
  } catch {
    return '';
  }
}
