import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

/** Levels that `LOG_LEVEL` may name. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Members that may carry a credential wherever they stand in a log event. */
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
];

/** What a logger needs to know. */
export interface LoggingOptions {
  /** The service's name, on every line. */
  service: string;
  level: (typeof LOG_LEVELS)[number];
  /** Where the lines go; standard output when absent. */
  stream?: DestinationStream;
}

/**
 * The service's log: a JSON line an event on standard output, coloured text on a terminal. Lines are written
 * without blocking the event loop; `flush` on exit loses none.
 */
export function createLogger({ service, level, stream }: LoggingOptions): Logger {
  const terminal = stream === undefined && process.stdout.isTTY;
  const output =
    stream ?? (terminal ? pretty({ ignore: 'pid,hostname' }) : destination({ fd: 1, sync: false }));
  return pino(
    {
      level,
      base: { service },
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: SECRETS, censor: '[redacted]' },
      formatters: { level: (label) => ({ level: label }) },
    },
    output,
  );
}
