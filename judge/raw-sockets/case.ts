import type { Heard } from './conversation.ts';

/** What a connection must get. */
export interface Due {
  /** In words. */
  what: string;
  /** Whether it got that. */
  holds(heard: Heard): boolean;
}

/** Something that is said on a connection, and what it must get. */
export interface Case {
  name: string;
  pieces: readonly string[];
  due: Due;
  pauseMs?: number;
  ends?: boolean;
  patienceMs?: number;
}

/** One answer that refuses, and then the end of the connection: nothing after it is taken for a request. */
export function refused(...statuses: number[]): Due {
  const allowed = statuses.length === 0 ? [400] : statuses;
  return {
    what: `${allowed.join(' or ')} alone, and the end of the connection`,
    holds: ({ statuses: [first = 0, ...more], closed }) =>
      allowed.includes(first) && more.length === 0 && closed,
  };
}

/** Exactly these answers, in one of the orders given. */
export function answers(...lists: number[][]): Due {
  const allowed = lists.map((list) => list.join(', '));
  return {
    what: `the answers ${allowed.join(', or ')}`,
    holds: ({ statuses, rest }) => rest === '' && allowed.includes(statuses.join(', ')),
  };
}

/** The end of the connection within `ms`, with no more than one refusal. */
export function ended(ms: number): Due {
  return {
    what: `the end of the connection within ${ms / 1000} s, with 400 or 408 or nothing`,
    holds: ({ statuses, closed, ms: taken }) =>
      closed && taken < ms && statuses.length <= 1 && statuses.every((status) => [400, 408].includes(status)),
  };
}

/** A head of these lines, which ask for the connection to end; `body` follows it. */
export function message(firstLine: string, lines: readonly string[] = [], body = ''): string {
  return [firstLine, 'Host: site.example', 'Connection: close', ...lines, '', body].join('\r\n');
}

/** A head of these lines, after which the connection stays. */
export function kept(firstLine: string, lines: readonly string[] = [], body = ''): string {
  return [firstLine, 'Host: site.example', ...lines, '', body].join('\r\n');
}

/** A request hidden behind another: whoever answers it has taken data for a request. */
export const HIDDEN = kept('GET /healthz HTTP/1.1');
