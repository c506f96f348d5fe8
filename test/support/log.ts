import { createLogger, type Logger } from '@pressroom/common/log/logging';

/** A log kept in memory: what a test looks at, and what nobody else sees. */
export interface TestLog {
  log: Logger;
  /** The lines so far, parsed. */
  events: () => Record<string, unknown>[];
  /** The lines so far, as they were written. */
  text: () => string;
}

/** Makes a log of `service` that is kept in memory. */
export function memoryLog(service: string): TestLog {
  const lines: string[] = [];
  const log = createLogger({
    service,
    level: 'debug',
    stream: { write: (line: string) => void lines.push(line) },
  });
  return { log, events: () => lines.map((line) => JSON.parse(line)), text: () => lines.join('') };
}
