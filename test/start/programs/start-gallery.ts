/** `pnpm start` with the gallery administration alone, or with what STARTED names. */
import { fileURLToPath } from 'node:url';
import { runStart } from '@pressroom/start/run-start';
import { SERVICES } from '@pressroom/start/services';

const started = process.env.STARTED ?? 'gallery-admin';

await runStart({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  services: SERVICES.filter(({ name }) => started.includes(name)),
  migrate: ['packages/common/src/database/migrate-cli.ts'],
});
