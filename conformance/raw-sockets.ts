import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { connections } from './raw-sockets/connections.ts';
import { framing } from './raw-sockets/framing.ts';
import { heads } from './raw-sockets/heads.ts';
import { alive, IDLE_CONNECTIONS, idle } from './raw-sockets/idle.ts';
import { TARGETS } from './raw-sockets/targets.ts';
import { tryAll } from './raw-sockets/try-all.ts';
import { SERVICES, Stack } from './support/stack.ts';

/** Requests that client libraries cannot send, and the answer that each must get. */
export const rawSockets: ConformanceCheck = {
  name: 'raw-sockets',
  about: 'malformed, smuggled, slow, half-closed, pipelined and idle connections',
  needs: [],
  run: checkConnections,
};

async function checkConnections(note: (line: string) => void): Promise<Verdict> {
  await using stack = await Stack.open();
  const findings = new Findings();
  await Promise.all(
    SERVICES.map(async (service) => {
      const cases = [...framing(TARGETS[service]), ...heads(), ...connections(TARGETS[service])];
      await tryAll(stack.urls[service], cases, (name, fault) => findings.add(`${service}: ${name}`, fault));
      note(`  ${service}: ${cases.length} connections`);
    }),
  );
  for (const service of SERVICES) {
    const readyz = `${stack.urls[service]}/readyz`;
    findings.add(`${service}: ${IDLE_CONNECTIONS} idle connections`, await idle(readyz));
    findings.add(`${service}: still there afterwards`, await alive(readyz));
  }
  return findings.verdict;
}
