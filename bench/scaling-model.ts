/** What an answer costs on the wire, in bytes. */
export interface AnswerCost {
  path: string;
  body: number;
  head: number;
  /** A whole 304. */
  unchanged: number;
}

/** What is measured. */
export interface Inputs {
  /** The answers that each client polls. */
  answers: readonly AnswerCost[];
  /** Cached answers that one process gives. */
  requestsPerSecond: number;
  /** Time of an answer that is not cached, in ms. */
  uncachedMs: number;
}

/** What polling clients cost. */
export interface Demand {
  /** Requests a second of all clients. */
  requests: number;
  /** Bytes a second to all clients, if everything changed since each poll. */
  bytesChanged: number;
  /** Bytes a second to all clients, if nothing changed. */
  bytesUnchanged: number;
  /** Requests a second that reach the services through a CDN without and with an origin shield. */
  origin: { locations: number; shield: number };
  /** Bytes a second from the services to the CDN without a shield, if everything changed. */
  originBytes: number;
  /** Queries a second that the services send, besides heartbeats. */
  queries: number;
}

/** `s-maxage` of what is polled, in s: the contract's shortest interval between two polls. */
const INTERVAL_S = 60;

/** Places where the CDN keeps its own copies. */
const LOCATIONS = 100;

/** Changes of the selected set a minute: as many cursors are in use at once. */
const CHANGES_A_MINUTE = 10;

/** Replicas of the news feed; each loads an answer once after each change. */
const REPLICAS = 2;

/** Calculates the demand of clients of which each polls every answer as often as it may. */
export function demandOf(clients: number, { answers }: Inputs): Demand {
  const polls = clients / INTERVAL_S;
  const sum = (bytesOf: (answer: AnswerCost) => number) =>
    polls * answers.reduce((total, answer) => total + bytesOf(answer), 0);
  // One URL for each answer, except that of the changes: it has one for each cursor in use.
  const urls = answers.length - 1 + CHANGES_A_MINUTE;
  // A location asks for what its clients poll, and no oftener than a copy is fresh.
  const asked = (locations: number) => Math.min(polls * answers.length, (urls * locations) / INTERVAL_S);
  const largest = Math.max(...answers.map(({ body, head }) => body + head));
  return {
    requests: polls * answers.length,
    bytesChanged: sum(({ body, head }) => body + head),
    bytesUnchanged: sum(({ unchanged }) => unchanged),
    origin: { locations: asked(LOCATIONS), shield: asked(1) },
    originBytes: asked(LOCATIONS) * largest,
    queries: Math.min(asked(LOCATIONS), (urls * REPLICAS * CHANGES_A_MINUTE) / INTERVAL_S),
  };
}
