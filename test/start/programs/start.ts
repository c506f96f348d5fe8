/** `pnpm start` with the fixture's service in place of Pressroom's. */
import { fileURLToPath } from 'node:url';
import { runStart } from '@pressroom/start/run-start';

await runStart({
  root: fileURLToPath(new URL('.', import.meta.url)),
  services: [
    {
      name: 'fixture',
      main: 'service.ts',
      check: ['check.ts'],
      port: { variable: 'FIXTURE_PORT', default: Number(process.env.FIXTURE_DEFAULT ?? 4999) },
      sample: ['migrate.ts', 'sample'],
      build: ['build.ts'],
      hints: [['Make a thing', 'make thing']],
    },
  ],
  migrate: ['migrate.ts'],
});
