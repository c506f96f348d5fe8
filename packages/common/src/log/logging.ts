import { createRequire } from 'node:module';
import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import type pinoPretty from 'pino-pretty';
import { LineBatch } from '../fast/line-batch.ts';

/** The parts of a log line, for code that writes lines without pino; see `RequestLog`. */
export interface LogLines {
  /** Where lines go. */
  readonly stream: DestinationStream;
  /** The members of every line besides its level and time. */
  readonly base: Readonly<Record<string, string>>;
  /** Writes the time member, with a comma before it. */
  readonly time: () => string;
}

/** The log of a service. */
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

/** What a logger needs to know. */
export interface LoggingOptions {
  /** The service's name, on every line. */
  service: string;
  level: (typeof LOG_LEVELS)[number];
  /** Where the lines go; standard output if absent. */
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

/** Text for a terminal. What makes it is loaded only here: services without a terminal do not pay for it. */
function colouredText(): DestinationStream {
  const pretty: typeof pinoPretty = createRequire(import.meta.url)('pino-pretty');
  return pretty({ ignore: 'pid,hostname' });
}
