import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { StartError } from './start-error.ts';

/** The address that everything embedded listens on. */
export const LOOPBACK = '127.0.0.1';

/** Interval at which a port in use is checked again, in ms. */
const RETRY_MS = 100;

/** Ports below those that systems give to outgoing connections and to who asks for any port. */
const NOT_EPHEMERAL = [16_384, 32_768] as const;

/** A TCP port on the loopback address, its user, and the environment variable that changes it. */
export interface WantedPort {
  readonly port: number;
  readonly owner: string;
  readonly variable: string;
}

/**
 * Returns when the port is free, waiting at most `patienceMs`. Throws a {@link StartError} that names the
 * port and its variable if it is still in use then, or needs privileges.
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
        `Port ${port} for ${owner} cannot be used (${fault.code}); set ${variable} to another port`,
      );
    }
    if (Date.now() >= deadline) {
      throw new StartError(`Port ${port} for ${owner} is already in use; set ${variable} to a free port`);
    }
    await wait(RETRY_MS);
  }
}

/**
 * Like {@link ensureFreePort}, for several at once: where more than one cannot be used, the error is one line
 * that names them all, with free ones to paste.
 */
export async function ensureFreePorts(wanted: readonly WantedPort[], patienceMs = 0): Promise<void> {
  const [first, ...others] = await takenPorts(wanted, patienceMs);
  if (!first) return;
  if (others.length === 0) throw first.error;
  const taken = [first, ...others];
  const names = taken.map(({ port, owner }) => `${port} (${owner})`).join(', ');
  const free = await Promise.all(taken.map(async ({ variable }) => `${variable}=${await findFreePort()}`));
  throw new StartError(
    `Ports ${names} cannot be used; with free ones: ${free.join(' ')} npx -y pnpm@12 start`,
  );
}

/** Returns the ports that cannot be used, each with the error of {@link ensureFreePort}. */
export async function takenPorts(
  wanted: readonly WantedPort[],
  patienceMs = 0,
): Promise<(WantedPort & { error: unknown })[]> {
  const checked = await Promise.all(
    wanted.map((port) =>
      ensureFreePort(port, patienceMs).then(
        () => [],
        (error: unknown) => [{ ...port, error }],
      ),
    ),
  );
  return checked.flat();
}

/**
 * A port that was free on the loopback address a moment ago. It is not ephemeral, so that no connection takes
 * it before its user listens.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...NOT_EPHEMERAL);
    try {
      await listenOnce(port);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

async function listenOnce(port: number): Promise<void> {
  const server = createServer().listen({ port, host: LOOPBACK, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
