import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '../test/support/until.ts';
import { Findings, type Judge, type Verdict } from './judge.ts';
import { connections } from './raw-sockets/connections.ts';
import { framing } from './raw-sockets/framing.ts';
import { heads } from './raw-sockets/heads.ts';
import { TARGETS } from './raw-sockets/targets.ts';
import { PATIENCE_MS, tryAll } from './raw-sockets/try-all.ts';
import { House, SERVICES } from './support/house.ts';

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
