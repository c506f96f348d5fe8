import { serveMetrics } from '@pressroom/common/http/metrics';
import type { Logger } from '@pressroom/common/log/logging';
import closeWithGrace from 'close-with-grace';
import { openWorker } from './newsroom/work/open-worker.ts';
import type { WorkerConfig } from './newsroom/work/worker-config.ts';

/**
 * Runs a worker until SIGTERM or SIGINT, which lets the jobs at hand end for `SHUTDOWN_TIMEOUT_MS` at most.
 * What does not end in time is done again by the next worker. Throws if the database has no jobs yet.
 */
export async function runWorker(config: WorkerConfig, log: Logger): Promise<void> {
  const { worker, metrics, close } = openWorker(config, log);
  let closeMetrics: () => void = () => undefined;
  const graceMs = config.SHUTDOWN_TIMEOUT_MS;
  const grace = closeWithGrace({ delay: graceMs, logger: log }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'worker_failed');
    else log.info({ signal }, 'worker_stopping');
    closeMetrics();
    await close(Math.floor(graceMs * 0.8));
  });
  try {
    if (config.METRICS_PORT !== undefined) {
      const { registry, read } = metrics;
      closeMetrics = await serveMetrics(
        { contentType: registry.contentType, read },
        config.METRICS_PORT,
        config.HOST,
      );
    }
    await worker.start();
    log.info({ pid: process.pid }, 'worker_started');
  } catch (error) {
    grace.uninstall();
    closeMetrics();
    await close(0);
    throw error;
  }
}
