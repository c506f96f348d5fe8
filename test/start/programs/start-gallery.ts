/** `pnpm start` with the gallery administration alone. */
import { fileURLToPath } from 'node:url';
import { runStart } from '@pressroom/start/run-start';
import { SERVICES } from '@pressroom/start/services';

await runStart({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  services: SERVICES.filter(({ name }) => name === 'gallery-admin'),
  migrate: ['packages/common/src/database/migrate-cli.ts'],
});
