/**
 * Checks the settings in the environment and does nothing else: prints every error and exits with 1, or exits
 * with 0.
 */
import { startOrExplain } from '@pressroom/common/start/run-service';
import { readExtraSchema } from './articles/extra-schema.ts';
import { readContentConfig } from './config.ts';

await startOrExplain(async () => {
  await readExtraSchema(readContentConfig(process.env).CONTENT_EXTRA_SCHEMA);
});
