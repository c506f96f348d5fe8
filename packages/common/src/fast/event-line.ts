import type { LogLines } from '../log/logging.ts';

/** The log event of a request: who requested what, how it was answered, and how long it took, in ms. */
export interface RequestEvent {
  requestId: string;
  method: string;
  url: string;
  status: number;
  ms: number;
  /** Unknown if the connection closed before it was read. */
  address: string | undefined;
}

/**
 * Makes a writer of request events that uses a template and produces the same lines as pino: pino's handling
 * of levels, options and unknown objects costs several times as much (`bench/results/fast.md`).
 */
export function eventLine(lines: LogLines, level: string, msg: string): (event: RequestEvent) => string {
  const begin = `{"level":${JSON.stringify(level)}`;
  const base = Object.entries(lines.base)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('');
  const end = `,"msg":${JSON.stringify(msg)}}\n`;
  return ({ requestId, method, url, status, ms, address }) => {
    const who = `,"requestId":${JSON.stringify(requestId)},"method":"${method}","url":${JSON.stringify(url)}`;
    const how = `,"status":${status},"ms":${ms},"address":${JSON.stringify(address ?? null)}`;
    return begin + lines.time() + base + who + how + end;
  };
}
