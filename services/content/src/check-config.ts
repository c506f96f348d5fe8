/**
 * Checks the settings in the environment and does nothing else: prints every error and exits with 1, or exits
 * with 0.
 */
import { startOrExplain } from '@pressroom/common/start/run-service';
import { readContentConfig } from './config.ts';

await startOrExplain(async () => void readContentConfig(process.env));
