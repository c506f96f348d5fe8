/** Checks the settings of the environment and does nothing else: ends with 1 and every fault, or with 0. */
import { startOrExplain } from '@pressroom/common/start/run-service';
import { readContentConfig } from './config.ts';

await startOrExplain(async () => void readContentConfig(process.env));
