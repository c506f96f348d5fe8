import { createLogger, type Logger } from '@pressroom/common/log/logging';
import { warnOfRetiredSettings } from '@pressroom/common/start/config';
import type { Command } from 'commander';
import { readWorkerConfig, type WorkerConfig } from '../work/worker-config.ts';

/** Runs a worker until it is stopped. */
export type RunWorker = (config: WorkerConfig, log: Logger) => Promise<void>;

/** `newsroom work`. */
export function addWorkCommand(program: Command, runWorker: RunWorker): void {
  program
    .command('work')
    .description('read the sources and keep the schedules, until it is stopped; any number may run')
    .action(async () => {
      const config = readWorkerConfig(process.env);
      const log = createLogger({ service: 'newsroom', level: config.LOG_LEVEL });
      warnOfRetiredSettings(process.env, log);
      await runWorker(config, log);
    });
}
