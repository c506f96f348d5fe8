import { startProxy, upstreamOf } from '../test/support/proxy.ts';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { type Case, explained } from './raw-sockets/case.ts';
import { connections } from './raw-sockets/connections.ts';
import { framing } from './raw-sockets/framing.ts';
import { heads } from './raw-sockets/heads.ts';
import { alive, IDLE_CONNECTIONS, idle } from './raw-sockets/idle.ts';
import { unserved } from './raw-sockets/requests.ts';
import { TARGETS } from './raw-sockets/targets.ts';
import { tryAll } from './raw-sockets/try-all.ts';
import { SERVICES, Stack } from './support/stack.ts';

/** Every case comes from one address. */
const LIMITS = { CONNECTION_LIMIT: '10000', LOGIN_RATE: '100000', LOGIN_BURST: '10000' };

/** As much as is read before it is a request. */
const HALF_A_HEAD = `GET /docs HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(15_000)}\r\nY: ${'y'.repeat(15_000)}`;

/** Requests that may get an answer without a head: HTTP/0.9 had none, and its clients ask in these ways. */
const HEADLESS = /^the request line "GET \/healthz"$|^"\\n" in the target$/;

/** The same requests, and more, to the proxy of docker-compose.yml with the services behind it. */
export const rawSocketsProxy: ConformanceCheck = {
  name: 'raw-sockets-proxy',
  about: 'malformed, smuggled, slow, half-closed, pipelined and idle connections to the proxy',
  needs: ['nginx'],
  run: checkProxy,
};

async function checkProxy(note: (line: string) => void): Promise<Verdict> {
  await using stack = await Stack.open();
  const proxy = await startProxy({
    ...LIMITS,
    CONTENT_UPSTREAM: upstreamOf(stack.urls.content),
    NEWS_FEED_UPSTREAM: upstreamOf(stack.urls['news-feed']),
    GALLERY_ADMIN_UPSTREAM: upstreamOf(stack.urls['gallery-admin']),
  });
  const findings = new Findings();
  try {
    const cases = proxyCases();
    await tryAll(proxy?.url ?? '', cases, (name, fault) => findings.add(name, fault));
    note(`  the proxy: ${cases.length} connections`);
    const healthz = `${proxy?.url}/healthz`;
    findings.add(`${IDLE_CONNECTIONS} connections with half a head`, await idle(healthz, HALF_A_HEAD));
    findings.add('still there afterwards', await alive(healthz));
  } finally {
    await proxy?.close();
  }
  return findings.verdict;
}

/**
 * nginx reads some requests that Node refuses, and frames them anew for the services: no other status is due
 * of these, but whatever is an error must be explained.
 */
function proxyCases(): Case[] {
  const ofServices = SERVICES.flatMap((service) =>
    [...framing(TARGETS[service]), ...connections(TARGETS[service])].map((one) => ({
      ...one,
      name: `${service}: ${one.name}`,
    })),
  );
  const shared = [...ofServices, ...heads()].filter(({ name }) => !HEADLESS.test(name));
  return [...unserved(), ...shared.map((one) => ({ ...one, due: explained() }))];
}
