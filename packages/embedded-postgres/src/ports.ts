import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { StartError } from './start-error.ts';

/** The one address that everything embedded listens on. */
export const LOOPBACK = '127.0.0.1';

/** How often a taken port is looked at again, in ms. */
const RETRY_MS = 100;

/** A TCP port on the loopback address, who wants it, and the environment variable that moves it. */
export interface WantedPort {
  readonly port: number;
  readonly owner: string;
  readonly variable: string;
}

/**
 * Returns when the port can be listened on, at the latest after `patienceMs`. Throws a {@link StartError}
 * naming the port and its variable when it is still taken then, or needs privileges.
 */
export async function ensureFreePort({ port, owner, variable }: WantedPort, patienceMs = 0): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const fault = await listenOnce(port).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    );
    if (!fault) return;
    if (fault.code !== 'EADDRINUSE') {
      throw new StartError(
        `Port ${port} of ${owner} cannot be used (${fault.code}); set ${variable} to another`,
      );
    }
    if (Date.now() >= deadline) {
      throw new StartError(`Port ${port} of ${owner} is taken; set ${variable} to a free one`);
    }
    await wait(RETRY_MS);
  }
}

/** A port that was free on the loopback address a moment ago. */
export function findFreePort(): Promise<number> {
  return listenOnce(0);
}

async function listenOnce(port: number): Promise<number> {
  const server = createServer().listen({ port, host: LOOPBACK, exclusive: true });
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return taken;
}
