/** `pnpm start`: the services with all they need, in the foreground, until Ctrl-C. */
import { fileURLToPath } from 'node:url';
import { runStart } from './run-start.ts';
import { SERVICES } from './services.ts';

await runStart({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  services: SERVICES,
  migrate: ['packages/common/src/database/migrate-cli.ts'],
});
