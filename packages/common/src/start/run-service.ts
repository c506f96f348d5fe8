import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import type { z } from 'zod';
import type { Server } from '../http/operation.ts';
import type { Logger } from '../log/logging.ts';
import { temporarilyUnavailable } from '../problems/problem.ts';
import { ConfigError, warnOfRetiredSettings } from './config.ts';
import { warnOfMisspellings } from './misspelt-settings.ts';

/** The service that {@link runService} runs, and its addresses. */
export interface RunningService<PortVariable extends string> {
  config: Record<PortVariable | 'DRAIN_SECONDS' | 'SHUTDOWN_TIMEOUT_MS', number> & {
    HOST: string;
    METRICS_PORT?: number | undefined;
  };
  settings: Readonly<Record<string, z.ZodType>>;
  portVariable: PortVariable;
  log: Logger;
  /** Opens what answers requests, and what it works with. */
  open: () => Promise<{
    app: Server;
    /** Closes the resources of the requests, after the last one is answered. */
    release: () => Promise<void>;
  }>;
}

/**
 * Opens the service once its ports are known to be free, listens, and on SIGTERM or SIGINT drains for
 * `DRAIN_SECONDS`, in which load balancers notice the 503 of `/readyz`, stops accepting, lets the requests in
 * flight finish and then calls `release`; after `SHUTDOWN_TIMEOUT_MS` more the process ends anyway, with exit
 * code 1, and at a second signal at once. Throws an error that names the variable when the port is taken or
 * the host is none of this machine.
 */
export async function runService<PortVariable extends string>({
  config,
  settings,
  portVariable,
  log,
  open,
}: RunningService<PortVariable>): Promise<void> {
  const { HOST: host, DRAIN_SECONDS: drainSeconds, SHUTDOWN_TIMEOUT_MS: graceMs } = config;
  const port: number = config[portVariable];
  warnOfRetiredSettings(process.env, log);
  warnOfMisspellings(settings, process.env, log);
  await ensureFreePorts(host, { METRICS_PORT: config.METRICS_PORT, [portVariable]: port });
  const { app, release } = await open();
  const startDraining = refuseReadiness(app);
  const delayMs = drainSeconds * 1000 + graceMs;
  const grace = closeWithGrace({ delay: delayMs, logger: log }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'service_failed');
    else log.info({ signal, drainSeconds }, 'service_stopping');
    if (!err && drainSeconds > 0) {
      startDraining();
      await delay(drainSeconds * 1000);
    }
    await app.close();
    await release();
  });
  try {
    const address = await app.listen({ host: await hostOf(host), port });
    log.info({ address }, 'service_listening');
  } catch (error) {
    // Nothing is left to close, and the process must not end as if it had succeeded.
    grace.uninstall();
    await app.close();
    await release();
    throw listenError(error, { host, port, portVariable });
  }
}

/**
 * Prepares `app` for draining, and returns what starts it: from then on `/readyz` is 503, and connections are
 * closed after their next answer, so that clients open the following one elsewhere.
 */
function refuseReadiness(app: Server): () => void {
  let draining = false;
  // Before Fastify, whose earlier hooks answer what is cached.
  app.server.prependListener('request', (_request, response) => {
    if (draining) response.shouldKeepAlive = false;
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const stopping = draining && request.url === '/readyz';
    done(stopping ? temporarilyUnavailable('the service is stopping', 1) : undefined);
  });
  return () => {
    draining = true;
  };
}

/** Throws as {@link listenError} says if nothing can listen at one of the ports; 0 is always free. */
async function ensureFreePorts(host: string, ports: Record<string, number | undefined>): Promise<void> {
  for (const [portVariable, port] of Object.entries(ports)) {
    if (!port) continue;
    const server = createServer();
    try {
      await once(server.listen({ host: await hostOf(host), port }), 'listening');
      await once(server.close(), 'close');
    } catch (error) {
      throw listenError(error, { host, port, portVariable });
    }
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
    const expected =
      error instanceof ConfigError || error instanceof PortTakenError || error instanceof HostError;
    console.error(expected ? error.message : error);
    // Resources left open by a failed start must not keep the process alive.
    process.exit(1);
  }
}

/** The error for a port in use by another process: one line that says what to change. */
export class PortTakenError extends Error {
  /** @param portVariable the variable that changes the port */
  constructor({ port, portVariable }: { port: number; portVariable: string }) {
    super(`port ${port} is already in use; set ${portVariable} to another port`);
    this.name = 'PortTakenError';
  }
}

/** The error for a `HOST` at which this machine cannot listen: one line that says what to change. */
class HostError extends Error {
  constructor(host: string, code: string) {
    super(`HOST is ${host}, at which this machine cannot listen (${code}); set HOST to one of its addresses`);
    this.name = 'HostError';
  }
}

const HOST_CODES: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

/**
 * Returns the error of a failed attempt to listen: in the words of the setting that is wrong, or as it is.
 */
export function listenError(
  error: unknown,
  { host, ...taken }: { host: string; port: number; portVariable: string },
): unknown {
  if (isPortTaken(error)) return new PortTakenError(taken);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return HOST_CODES.includes(code) ? new HostError(host, String(code)) : error;
}

/** True for the system's refusal to listen on a port that is in use. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Lowers the priority of this process, whose work can wait. */
export function lowerPriority(log: Logger): void {
  const priority = constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    if (getPriority() < priority) setPriority(priority);
  } catch (error) {
    log.warn({ err: error }, 'priority_unchanged');
  }
}
