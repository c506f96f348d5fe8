/** `pnpm start`: the services with all they need, in the foreground, until Ctrl-C. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

// Before anything else is loaded, and for every program that is started: without it, each strips the types of
// what it loads again, and keeps what strips them in memory, about 25 MB.
process.env.NODE_COMPILE_CACHE ||= `${root}node_modules/.cache/pressroom`;
enableCompileCache(process.env.NODE_COMPILE_CACHE);

const { runStart } = await import('./run-start.ts');
const { SERVICES } = await import('./services.ts');
await runStart({ root, services: SERVICES, migrate: ['packages/common/src/database/migrate-cli.ts'] });
