import { once } from 'node:events';
import { createWriteStream, openSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Failure } from '@pressroom/common/failures/failure';

/** Why nothing more can be written, by Node's error code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EPIPE: 'the reader has gone',
};

/**
 * A file, or standard output for `-`, that is written piece by piece. It is opened at once, so that nothing
 * is done if that fails.
 *
 * Its methods throw a {@link Failure} when not everything could be written.
 */
export class OutputFile {
  readonly #file: string;
  readonly #out;

  constructor(file: string) {
    this.#file = file === '-' ? 'the output' : file;
    this.#out = file === '-' ? process.stdout : createWriteStream(file, { fd: openSync(file, 'w') });
    // Thrown by what writes next.
    this.#out.on('error', () => undefined);
  }

  async write(text: string): Promise<void> {
    const isFull = !this.#out.write(text);
    if (this.#out.errored) throw this.#failure(this.#out.errored);
    if (isFull) await once(this.#out, 'drain').catch((error) => Promise.reject(this.#failure(error)));
  }

  async close(): Promise<void> {
    if (this.#out === process.stdout) await this.write('');
    else await finished(this.#out.end()).catch((error) => Promise.reject(this.#failure(error)));
  }

  #failure(error: NodeJS.ErrnoException): Failure {
    const reason = REASONS[error.code ?? ''] ?? error.message;
    return new Failure('incomplete', `${this.#file} is not whole: ${reason}`, { cause: error });
  }
}
