import closeWithGrace from 'close-with-grace';
import type { Server } from '../http/server.ts';
import type { Logger } from '../log/logging.ts';
import { ConfigError } from './config.ts';
import { isPortTaken, type MovablePort, PortTakenError } from './port-taken.ts';

/** How long a service may take to finish what it has begun, in ms: `docker stop` kills it after 10 s. */
const GRACE_MS = 9_500;

/** What {@link runService} runs, and where it listens. */
export interface RunningService extends MovablePort {
  host: string;
  app: Server;
  log: Logger;
  /** Closes what the requests needed, after the last one is answered. */
  release: () => Promise<void>;
}

/**
 * Listens, and on SIGTERM or SIGINT stops accepting, lets the requests in flight finish and then calls
 * `release`; after 10 s at most the process ends whatever is left, with exit code 1. Throws an error that names
 * the port and its variable when the port is taken.
 */
export async function runService({ app, log, release, ...listening }: RunningService): Promise<void> {
  const grace = closeWithGrace({ delay: GRACE_MS, logger: log }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'service_failed');
    else log.info({ signal }, 'service_stopping');
    await app.close();
    await release();
  });
  try {
    const address = await app.listen({ host: listening.host, port: listening.port });
    log.info({ address }, 'service_listening');
  } catch (error) {
    // Nothing is left to close: it would end the process as if it had served.
    grace.uninstall();
    await app.close();
    await release();
    throw isPortTaken(error) ? new PortTakenError(listening) : error;
  }
}

/** Runs a service's start and ends the process with one line, not a stack, where the operator has to act. */
export async function startOrExplain(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof PortTakenError;
    console.error(expected ? error.message : error);
    // Whatever a failed start has left open does not keep the process.
    process.exit(1);
  }
}
