import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { ConfigError } from './config.ts';
import type { Server } from './server.ts';

/** How long a service may take to finish what it has begun, in ms. */
const GRACE_MS = 10_000;

/** Where a service listens. */
export interface Listening {
  host: string;
  port: number;
  /** The variable that moves the port, for the error of a taken one. */
  portVariable: string;
}

/** What {@link runService} runs. */
export interface RunningService extends Listening {
  app: Server;
  log: Logger;
  /** Closes what the requests needed, after the last one is answered. */
  release: () => Promise<void>;
}

/**
 * Listens, and on SIGTERM or SIGINT stops accepting, lets the requests in flight finish and then calls
 * `release`; after 10 s the process ends whatever is left. Throws an error that names the port and its
 * variable when the port is taken.
 */
export async function runService({ app, log, release, ...listening }: RunningService): Promise<void> {
  closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'service_failed');
    else log.info({ signal }, 'service_stopping');
    await app.close();
    await release();
    log.flush();
  });
  try {
    const address = await app.listen({ host: listening.host, port: listening.port });
    log.info({ address }, 'service_listening');
  } catch (error) {
    await app.close();
    await release();
    throw isPortTaken(error) ? takenPort(listening) : error;
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** The error of a port that another process holds: one line, with what to change. */
export function takenPort({ port, portVariable }: Pick<Listening, 'port' | 'portVariable'>): Error {
  return new Error(`port ${port} is taken; set ${portVariable} to another one`);
}

/** Runs a service's start and ends the process with one line, not a stack, where the operator has to act. */
export async function startOrExplain(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    const expected =
      error instanceof ConfigError || (error instanceof Error && /^port \d+ is taken/.test(error.message));
    console.error(expected ? (error as Error).message : error);
    process.exitCode = 1;
  }
}
