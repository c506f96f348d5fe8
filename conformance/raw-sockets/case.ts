import type { Heard, HeardAnswer } from './conversation.ts';

export interface Due {
  what: string;
  holds(heard: Heard): boolean;
}

/** Bytes to send on a connection, and the expected result. */
export interface Case {
  name: string;
  pieces: readonly string[];
  due: Due;
  pauseMs?: number;
  ends?: boolean;
  patienceMs?: number;
}

/** One refusal and then the end of the connection, so that no later bytes are read as a request. */
export function refused(...statuses: number[]): Due {
  const allowed = statuses.length === 0 ? [400] : statuses;
  return {
    what: `only ${allowed.join(' or ')}, then the end of the connection`,
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

/** The end of the connection, with no more than one refusal. */
export function ended(): Due {
  return {
    what: 'the end of the connection, with 400 or 408 or nothing',
    holds: ({ statuses, closed }) =>
      closed && statuses.length <= 1 && statuses.every((status) => [400, 408].includes(status)),
  };
}

/**
 * Answers whose every error is a problem document, none of them a fault of the server; with a status, a
 * single answer of that status.
 */
export function explained(status?: number): Due {
  const only = status === undefined ? 'answers' : `only ${status}`;
  return {
    what: `${only}, errors as problem documents and no fault of the server`,
    holds: ({ answers: heard, statuses, rest }) =>
      rest === '' && heard.every(isExplained) && (status === undefined || statuses.join() === String(status)),
  };
}

/** Statuses for requests that a server does not serve; no fault. */
const UNSERVED = [501, 505];

function isExplained({ status, head, body }: HeardAnswer): boolean {
  if (status < 400) return true;
  if (status >= 500 && !UNSERVED.includes(status)) return false;
  // The gallery sends them as plain JSON to who does not ask for the other (`docs/spec/wire.md`).
  if (!/^content-type: application\/(problem\+)?json(; charset=utf-8)?\r$/im.test(head)) return false;
  try {
    return JSON.parse(body).status === status;
  } catch {
    return false;
  }
}

/** A head with these lines and `Connection: close`, followed by `body`. */
export function message(firstLine: string, lines: readonly string[] = [], body = ''): string {
  return [firstLine, 'Host: site.example', 'Connection: close', ...lines, '', body].join('\r\n');
}

/** A head with these lines that keeps the connection open. */
export function kept(firstLine: string, lines: readonly string[] = [], body = ''): string {
  return [firstLine, 'Host: site.example', ...lines, '', body].join('\r\n');
}

/** A request hidden inside another: a server that answers it has read data as a request. */
export const HIDDEN = kept('GET /healthz HTTP/1.1');
