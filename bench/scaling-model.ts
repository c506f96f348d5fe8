/** What an answer costs on the wire, in bytes. */
export interface AnswerCost {
  path: string;
  body: number;
  head: number;
  /** A whole 304. */
  unchanged: number;
}

/** A number that polling clients demand. */
interface Demand {
  what: string;
  unit: '/s' | 'bytes/s';
  value: number;
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
export function demandOf(clients: number, answers: readonly AnswerCost[]): Demand[] {
  const polls = clients / INTERVAL_S;
  const requests = polls * answers.length;
  const egress = (bytesOf: (answer: AnswerCost) => number) =>
    polls * answers.reduce((total, answer) => total + bytesOf(answer), 0);
  // One URL for each answer, except that of the changes: it has one for each cursor in use.
  const urls = answers.length - 1 + CHANGES_A_MINUTE;
  // A location asks for what its clients poll, and no oftener than a copy is fresh.
  const asked = (locations: number) => Math.min(requests, (urls * locations) / INTERVAL_S);
  const largest = Math.max(...answers.map(({ body, head }) => body + head));
  const queries = Math.min(asked(LOCATIONS), (urls * REPLICAS * CHANGES_A_MINUTE) / INTERVAL_S);
  const rate = (what: string, value: number): Demand => ({ what, unit: '/s', value });
  const bytes = (what: string, value: number): Demand => ({ what, unit: 'bytes/s', value });
  const services = 'requests at the services';
  return [
    rate('requests', requests),
    bytes(
      'egress to clients, if nothing changed',
      egress(({ unchanged }) => unchanged),
    ),
    bytes(
      'egress to clients, if everything changed since each poll',
      egress(({ body, head }) => body + head),
    ),
    rate(`${services}, without a CDN`, requests),
    rate(`${services}, with a CDN`, asked(LOCATIONS)),
    rate(`${services}, with a CDN that has one location ask for all (origin shield)`, asked(1)),
    bytes('egress to the CDN, no shield, at most', asked(LOCATIONS) * largest),
    rate('queries to PostgreSQL, besides heartbeats', queries),
  ];
}
