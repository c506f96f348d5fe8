import { type DestinationStream, destination } from 'pino';

/** As many characters are handed on at once, or as have come within this time, in ms. */
const BATCH_CHARACTERS = 16_384;
const BATCH_MS = 200;

/**
 * Where log lines go: a file descriptor, written many lines at a time, because a write for each would cost as much as
 * answering a request. A process that exits, even by an exception, writes the rest; one that is killed loses what it
 * logged in the last 200 ms. pino's own buffer does the same, and counts all that it holds again for each line.
 */
export class LineBatch implements DestinationStream {
  #text = '';
  readonly #output: ReturnType<typeof destination>;

  constructor(fd: number) {
    this.#output = destination({
      fd,
      sync: false,
      // What is less waits here, so that at the exit it is not on its way by half.
      minLength: BATCH_CHARACTERS,
      maxWrite: 4 * BATCH_CHARACTERS,
    });
    setInterval(() => this.flush(), BATCH_MS).unref();
    process.once('exit', () => this.flushSync());
  }

  /** Takes a line. */
  write(line: string): void {
    this.#text += line;
    if (this.#text.length >= BATCH_CHARACTERS) this.#handOn();
  }

  /** Begins to write what there is, with what came while the last write was under way. */
  flush(): void {
    if (this.#text !== '') this.#handOn();
    this.#output.flush();
  }

  /** Writes what there is, and returns when it is written. */
  flushSync(): void {
    this.#handOn();
    this.#output.flushSync();
  }

  #handOn(): void {
    this.#output.write(this.#text);
    this.#text = '';
  }
}
