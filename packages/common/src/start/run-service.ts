import { lookup } from 'node:dns/promises';
import closeWithGrace from 'close-with-grace';
import type { Server } from '../http/server.ts';
import type { Logger } from '../log/logging.ts';
import { ConfigError } from './config.ts';
import { isPortTaken, type MovablePort, PortTakenError } from './port-taken.ts';

/** What {@link runService} runs, and where it listens. */
export interface RunningService extends MovablePort {
  host: string;
  app: Server;
  log: Logger;
  /** How long it may take to finish what it has begun, in ms: `docker stop` kills it after 10 s. */
  graceMs: number;
  /** Closes the resources of the requests, after the last one is answered. */
  release: () => Promise<void>;
}

/**
 * Listens, and on SIGTERM or SIGINT stops accepting, lets the requests in flight finish and then calls
 * `release`; after `graceMs` at most the process ends anyway, with exit code 1. Throws an error
 * that names the port and its variable when the port is taken.
 */
export async function runService({
  app,
  log,
  release,
  graceMs,
  ...listening
}: RunningService): Promise<void> {
  const grace = closeWithGrace({ delay: graceMs, logger: log }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'service_failed');
    else log.info({ signal }, 'service_stopping');
    await app.close();
    await release();
  });
  try {
    const address = await app.listen({ host: await hostOf(listening.host), port: listening.port });
    log.info({ address }, 'service_listening');
  } catch (error) {
    // Nothing is left to close, and the process must not end as if it had succeeded.
    grace.uninstall();
    await app.close();
    await release();
    throw isPortTaken(error) ? new PortTakenError(listening) : error;
  }
}

/**
 * For `localhost` Fastify would open a second server, without the limits of connections; this is what Node
 * takes it for.
 */
async function hostOf(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host)).address : host;
}

/** Starts a service; if the operator has to act, ends the process with one line instead of a stack trace. */
export async function startOrExplain(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof PortTakenError;
    console.error(expected ? error.message : error);
    // Resources left open by a failed start must not keep the process alive.
    process.exit(1);
  }
}
