import { access, constants } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import { processRegistry, serveMetrics } from '@pressroom/common/http/metrics';
import { createLogger } from '@pressroom/common/log/logging';
import { type BackupConfig, backupSettings, readBackupConfig } from '@pressroom/common/start/backup-settings';
import { warnOfMisspellings } from '@pressroom/common/start/misspelt-settings';
import { lowerPriority, startOrExplain } from '@pressroom/common/start/run-service';
import closeWithGrace from 'close-with-grace';
import { BackupWork, backupMeters } from './backup.ts';
import { BackupFolder } from './backup-folder.ts';
import { openBackupBucket, openMediaBucket } from './stores.ts';

/** Time for interrupted work to end, in ms. */
const GRACE_MS = 20_000;

await startOrExplain(async () => {
  const { values } = parseArgs({
    options: { once: { type: 'boolean', default: false }, now: { type: 'boolean', default: false } },
  });
  const config = readBackupConfig(process.env);
  const log = createLogger({ service: 'backup', level: config.LOG_LEVEL });
  warnOfMisspellings(backupSettings, process.env, log);
  // Services for readers on the same machine come first.
  lowerPriority(log);
  const folder = new BackupFolder(config.BACKUP_DIR);
  const work = new BackupWork({
    url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
    bucket: openBackupBucket(config),
    media: openMediaBucket(config),
    ...{ folder, log, key: config.BACKUP_KEY, hour: config.BACKUP_HOUR, keepDays: config.BACKUP_KEEP_DAYS },
    clock: () => new Date(),
  });
  if (values.now) await runOnce((signal) => work.doNow(signal));
  else if (values.once) await runOnce((signal) => work.doOnce(signal));
  else await runDaily(config, folder, work);
});

/**
 * Does the work, for a schedule of somebody else's (`--once`) or by hand (`--now`); ends with 1 if something
 * failed.
 */
async function runOnce(work: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort());
  process.exitCode = (await work(stopping.signal)) ? 0 : 1;
}

/** A backup every day, until SIGTERM or SIGINT. */
async function runDaily(config: BackupConfig, folder: BackupFolder, work: BackupWork): Promise<void> {
  const { METRICS_PORT, HOST, BACKUP_DIR } = config;
  let closePort = () => {};
  if (METRICS_PORT !== undefined) {
    const registry = processRegistry(backupMeters(folder, work));
    const source = { contentType: registry.contentType, read: () => registry.metrics() };
    const ready = () => access(BACKUP_DIR, constants.W_OK);
    closePort = await serveMetrics({ ...source, ready }, METRICS_PORT, HOST);
  }
  const loop = new BackgroundLoop((signal) => work.doDue(signal));
  closeWithGrace({ delay: GRACE_MS }, async () => {
    closePort();
    await loop.stop();
  });
}
