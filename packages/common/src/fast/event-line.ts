import type { LogLines } from '../log/logging.ts';

/** The event of a request: who asked for what, how it was answered, and how long it took, in ms. */
export interface RequestEvent {
  requestId: string;
  method: string;
  url: string;
  status: number;
  ms: number;
  /** Unknown where the connection was gone before anybody asked. */
  address: string | undefined;
}

/**
 * Makes what writes the event of a request as pino would, by a template: pino's way through levels, options and the
 * members of an object that it does not know costs several times as much (`packages/common/src/fast/README.md`).
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
