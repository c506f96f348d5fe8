import { type DestinationStream, destination } from 'pino';

/**
 * Lines are written once they have this many characters, which a pipe takes at once, or after this time, in
 * ms. Each batch wakes a thread, which costs more than most of the lines.
 */
const BATCH_CHARACTERS = 65_536;
const BATCH_MS = 200;

/**
 * Destination of log lines: a file descriptor, written many lines at a time, because one write per line would
 * be a system call for each request, and wake who reads the log. A process that exits, even by an exception,
 * writes the rest; one that is killed loses the lines of the last 200 ms. pino's own buffer does the same,
 * but measures its whole content again for each line.
 */
export class LineBatch implements DestinationStream {
  #text = '';
  readonly #output: ReturnType<typeof destination>;
  /** Set while lines wait; nothing wakes the process otherwise. */
  #timer: NodeJS.Timeout | undefined;
  /** Lines that came during a write wait in the output until it is flushed again. */
  #handedOn = false;

  constructor(fd: number) {
    this.#output = destination({
      fd,
      sync: false,
      // Smaller batches wait here, so that none is half written at exit.
      minLength: BATCH_CHARACTERS,
      maxWrite: 4 * BATCH_CHARACTERS,
    });
    this.#output.on('drain', () => {
      if (this.#handedOn) this.#flushSoon();
      this.#handedOn = false;
    });
    process.once('exit', () => this.flushSync());
  }

  /** Takes a line. */
  write(line: string): void {
    this.#text += line;
    if (this.#text.length >= BATCH_CHARACTERS) this.#handOn();
    if (this.#timer === undefined) this.#flushSoon();
  }

  /** Starts writing all pending lines, including those that came during the last write. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#text !== '') this.#handOn();
    this.#output.flush();
  }

  /** Writes all pending lines and returns when they are written. */
  flushSync(): void {
    this.#handOn();
    this.#output.flushSync();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), BATCH_MS).unref();
  }

  #handOn(): void {
    this.#handedOn = true;
    this.#output.write(this.#text);
    this.#text = '';
  }
}
