import { createLogger } from '@pressroom/common/log/logging';
import type { Command } from 'commander';
import { runWorker } from '../work/run-worker.ts';
import { readWorkerConfig } from '../work/worker-config.ts';

/** `newsroom work`. */
export function addWorkCommand(program: Command): void {
  program
    .command('work')
    .description('read the sources and keep the schedules, until it is stopped; any number may run')
    .action(async () => {
      const config = readWorkerConfig(process.env);
      const log = createLogger({ service: 'newsroom', level: config.LOG_LEVEL });
      await runWorker(config, log);
    });
}
