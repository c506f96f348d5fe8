import { openWorker, type WorkerReplacements } from '@pressroom/news-feed/work/open-worker';
import { readWorkerConfig } from '@pressroom/news-feed/work/worker-config';
import { PATIENT } from './database.ts';
import { memoryLog, type TestLog } from './log.ts';
import { noStories, sourceJudge } from './plain-newsroom.ts';

/** A worker of the newsroom in this process. */
export interface RunningWorker {
  log: TestLog;
  /** Queues what is due by its clock; it also does so by itself, every second. */
  tick: () => Promise<void>;
  /** Its metrics, as Prometheus reads them. */
  metrics: () => Promise<string>;
  stop: () => Promise<void>;
}

/** The settings of a worker that reads feeds from this machine. */
export function workerSettings(databaseUrl: string): Record<string, string> {
  return {
    ...PATIENT,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '8',
    NEWS_PRIVATE_HOSTS: '127.0.0.1',
    NEWS_WRITE_SHARE: '100',
  };
}

/**
 * Starts a worker, with what a test replaces. Its judge follows the sources alone and leaves items without
 * stories; see {@link startWholeWorker}.
 */
export async function startWorker(
  databaseUrl: string,
  replaced: WorkerReplacements = {},
): Promise<RunningWorker> {
  return startWholeWorker(databaseUrl, { judge: sourceJudge, stories: noStories, ...replaced });
}

/** Starts a worker as it is, except for what a test replaces, with its own `settings`. */
export async function startWholeWorker(
  databaseUrl: string,
  replaced: WorkerReplacements = {},
  settings: Record<string, string> = {},
): Promise<RunningWorker> {
  const log = memoryLog('newsroom');
  const config = readWorkerConfig({ ...workerSettings(databaseUrl), ...settings });
  const { worker, metrics, close } = openWorker(config, log.log, replaced);
  await worker.start();
  return { log, tick: () => worker.tick(), metrics: metrics.read, stop: () => close(60_000) };
}
