import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '../test/support/until.ts';
import { Findings, type Judge, type Verdict } from './judge.ts';
import type { Case } from './raw-sockets/case.ts';
import { connections } from './raw-sockets/connections.ts';
import { converse, type Heard } from './raw-sockets/conversation.ts';
import { framing, type Target } from './raw-sockets/framing.ts';
import { heads } from './raw-sockets/heads.ts';
import { House, SERVICES, type ServiceName } from './support/house.ts';

/** Paths that accept a POST, or refuse it with 405. */
const TARGETS: Record<ServiceName, Target> = {
  'news-feed': { path: '/api/v1/items', status: 405 },
  'gallery-admin': { path: '/api/login', status: 400 },
  content: { path: '/api/articles', status: 401 },
};

/** The number of concurrent connections. */
const CONCURRENCY = 40;

/** How long an answer or the end of a connection is waited for, in ms: only a fault takes as long. */
const PATIENCE_MS = 60_000;

const IDLE_CONNECTIONS = 2000;

/** Requests that client libraries cannot send, and the answer that each must get. */
export const rawSockets: Judge = {
  name: 'raw-sockets',
  about: 'malformed, smuggled, slow, half-closed, pipelined and idle connections',
  needs: [],
  run: judgeConnections,
};

async function judgeConnections(note: (line: string) => void): Promise<Verdict> {
  await using house = await House.open();
  const findings = new Findings();
  await Promise.all(
    SERVICES.map(async (service) => {
      const cases = [...framing(TARGETS[service]), ...heads(), ...connections(TARGETS[service])];
      await tryAll(house.urls[service], cases, (name, fault) => findings.add(`${service}: ${name}`, fault));
      note(`  ${service}: ${cases.length} connections`);
    }),
  );
  for (const service of SERVICES) {
    findings.add(`${service}: ${IDLE_CONNECTIONS} idle connections`, await idle(house.urls[service]));
    findings.add(`${service}: still there afterwards`, await alive(house.urls[service]));
  }
  return findings.verdict;
}

/** The slow ones first and all at once, because they only wait; the others run next to them. */
async function tryAll(
  url: string,
  cases: readonly Case[],
  report: (name: string, fault: string | undefined) => void,
): Promise<void> {
  const trial = async (one: Case) => {
    const { name, due, patienceMs = PATIENCE_MS, ...speech } = one;
    const heard = await converse(url, { ...speech, patienceMs });
    report(name, due.holds(heard) ? undefined : `got ${inWords(heard)}, expected ${due.what}`);
  };
  const waiting = cases.filter(({ patienceMs }) => patienceMs !== undefined).map(trial);
  const rest = cases.filter(({ patienceMs }) => patienceMs === undefined);
  const next = rest.values();
  const lane = async () => {
    for (const one of next) await trial(one);
  };
  await Promise.all([...waiting, ...Array.from({ length: CONCURRENCY }, lane)]);
}

function inWords({ statuses, closed, ms, rest }: Heard): string {
  const answers = statuses.length === 0 ? 'no answer' : statuses.join(', ');
  const end = closed ? `the end after ${Math.round(ms)} ms` : `no end in ${Math.round(ms)} ms`;
  return `${answers}, ${end}${rest === '' ? '' : `, and ${JSON.stringify(rest.slice(0, 80))}`}`;
}

/** Opens many connections that say nothing; others must still be answered. */
async function idle(url: string): Promise<string | undefined> {
  const port = Number(new URL(url).port);
  const sockets: Socket[] = [];
  try {
    while (sockets.length < IDLE_CONNECTIONS) {
      const batch = Array.from({ length: 100 }, () =>
        connect(port, '127.0.0.1').on('error', () => undefined),
      );
      sockets.push(...batch);
      await Promise.all(batch.map((socket) => once(socket, 'connect')));
    }
    return await alive(url);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/**
 * Undefined once the service is ready. On a busy machine so many connections keep its event loop from
 * turning, and its guard against overload answers 503 until the loop has caught up.
 */
async function alive(url: string): Promise<string | undefined> {
  let last = '';
  const isReady = async () => {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(String);
    if (typeof response === 'string') throw new Error(`/readyz is not answered: ${response}`);
    last = `${response.status} ${await response.text()}`;
    return response.ok;
  };
  return until('/readyz is 200', isReady).then(
    () => undefined,
    (error: unknown) => `${error}; the last answer was ${last}`,
  );
}
