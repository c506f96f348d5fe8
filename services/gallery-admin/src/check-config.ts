/** Only checks the settings of the environment: exits with 1 and every error, or with 0. */
import { startOrExplain } from '@pressroom/common/start/run-service';
import { readGalleryConfig } from './config.ts';

await startOrExplain(async () => void readGalleryConfig(process.env));
