import { databaseReason, isDatabaseAway } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { serveMetrics } from '@pressroom/common/http/metrics';
import type { Logger } from '@pressroom/common/log/logging';
import { isPortTaken, lowerPriority, PortTakenError } from '@pressroom/common/start/run-service';
import closeWithGrace from 'close-with-grace';
import { buildDesk, type DeskParts } from './desk-app.ts';
import type { CallbackParts } from './reading/websub.ts';
import { serveCallback } from './reading/websub-callback.ts';
import { openWorker } from './work/open-worker.ts';
import type { WorkerConfig } from './work/worker-config.ts';

/**
 * Runs a worker until SIGTERM or SIGINT, then lets the work in hand end for `SHUTDOWN_TIMEOUT_MS` at most.
 * The next worker repeats work that did not end in time. Throws a `Failure` if the database lacks a migration
 * of this build.
 */
export async function runWorker(config: WorkerConfig, log: Logger): Promise<void> {
  // Services for readers on the same machine come first: a worker has time.
  lowerPriority(log);
  const { worker, metrics, checkSchema, callback, desk, close } = openWorker(config, log);
  const ports: (() => unknown)[] = [];
  const closePorts = () => Promise.all(ports.map((closePort) => closePort()));
  const graceMs = config.SHUTDOWN_TIMEOUT_MS;
  const grace = closeWithGrace({ delay: graceMs, logger: log }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'worker_failed');
    else log.info({ signal }, 'worker_stopping');
    await closePorts();
    await close(Math.floor(graceMs * 0.8));
  });
  try {
    if (config.METRICS_PORT !== undefined) {
      const { registry, read, ready } = metrics;
      const source = { contentType: registry.contentType, read, ready };
      ports.push(await serveMetrics(source, config.METRICS_PORT, config.HOST));
    }
    if (config.NEWS_CALLBACK_URL !== undefined) ports.push(await openCallback(callback, config));
    if (config.DESK_KEY !== undefined) {
      ports.push(await openDesk({ ...desk, keys: config, host: config.HOST, log }, config));
    }
    // In a rollout it may be started before the migrations: each of its batches would fail.
    await checkSchema().catch((error: unknown) => {
      throw isDatabaseAway(error)
        ? new Failure('unavailable', databaseReason(error), { cause: error })
        : error;
    });
    await worker.start();
    log.info({ pid: process.pid }, 'worker_started');
  } catch (error) {
    grace.uninstall();
    await closePorts();
    await close(0);
    throw error;
  }
}

/** Serves hubs, unless another worker of this machine does: any of them serves all subscriptions. */
async function openCallback(parts: CallbackParts, config: WorkerConfig): Promise<() => void> {
  try {
    return (await serveCallback(parts, config.NEWS_CALLBACK_PORT, config.HOST)).close;
  } catch (error) {
    if (!(error instanceof PortTakenError)) throw error;
    parts.log.warn({ port: config.NEWS_CALLBACK_PORT }, 'callback_port_taken');
    return () => undefined;
  }
}

/** Serves editors, unless another worker of this machine does: any of them serves the whole newsroom. */
async function openDesk(parts: DeskParts, config: WorkerConfig): Promise<() => Promise<void>> {
  const app = await buildDesk(parts);
  try {
    const address = await app.listen({ host: config.HOST, port: config.NEWS_DESK_PORT });
    parts.log.info({ address }, 'desk_listening');
  } catch (error) {
    await app.close();
    if (!isPortTaken(error)) throw error;
    parts.log.warn({ port: config.NEWS_DESK_PORT }, 'desk_port_taken');
  }
  return async () => app.close();
}
