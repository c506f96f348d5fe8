import { createRequire } from 'node:module';
import { type DestinationStream, destination, type Logger as Pino, pino } from 'pino';
import type pinoPretty from 'pino-pretty';

/** The parts of a log line, for code that writes lines without pino; see `RequestLog`. */
export interface LogLines {
  readonly stream: DestinationStream;
  /** The members of every line besides its level and time. */
  readonly base: Readonly<Record<string, string>>;
  /** Writes the time member, with a comma before it. */
  readonly time: () => string;
}

export type Logger = Pino & { readonly lines: LogLines };

/** Levels that `LOG_LEVEL` may name. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Members that may contain a credential anywhere in a log event. */
const SECRETS = [
  'req.headers.authorization',
  'req.headers.cookie',
  'req.headers["x-api-key"]',
  'res.headers["set-cookie"]',
  'headers.authorization',
  'headers.cookie',
  'headers["x-api-key"]',
  'password',
  '*.password',
  'secret',
  '*.secret',
  '*.secretAccessKey',
  // The command that ioredis was sending when it failed: it contains the password if that was refused.
  'err.command.args',
];

interface LoggingOptions {
  /** The service's name, on every line. */
  service: string;
  level: (typeof LOG_LEVELS)[number];
  /** Destination of the lines; standard output if absent. */
  stream?: DestinationStream;
}

/** Writes the time of a line (RFC 3339, UTC, ms); lines in the same millisecond share its text. */
function isoTime(): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) text = `,"time":"${new Date(now).toISOString()}"`;
    last = now;
    return text;
  };
}

/**
 * The service's log: one JSON line per event on standard output (see {@link LineBatch}), coloured text on a
 * terminal.
 */
export function createLogger({ service, level, stream }: LoggingOptions): Logger {
  const terminal = stream === undefined && process.stdout.isTTY;
  const output = stream ?? (terminal ? colouredText() : new LineBatch(process.stdout.fd));
  const lines = { stream: output, base: { service }, time: isoTime() };
  const log = pino(
    {
      level,
      base: lines.base,
      timestamp: lines.time,
      redact: { paths: SECRETS, censor: '[redacted]' },
      formatters: { level: (label) => ({ level: label }) },
    },
    output,
  );
  return Object.assign(log, { lines });
}

/** Text for a terminal. The formatter is loaded only here: services without a terminal do not pay for it. */
function colouredText(): DestinationStream {
  const pretty: typeof pinoPretty = createRequire(import.meta.url)('pino-pretty');
  return pretty({ ignore: 'pid,hostname' });
}

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
