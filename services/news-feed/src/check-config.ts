/**
 * Checks the settings in the environment and does nothing else: prints every error and exits with 1, or exits
 * with 0.
 */
import { startOrExplain } from '@pressroom/common/start/run-service';
import { readNewsFeedConfig } from './config.ts';
import { readWorkerConfig } from './work/worker-config.ts';

await startOrExplain(async () => {
  readNewsFeedConfig(process.env);
  readWorkerConfig(process.env);
});
