/** `pnpm start`: the services with all they need, in the foreground, until Ctrl-C. */
import { launch } from './launch.ts';
import { REPOSITORY } from './repository.ts';
import { SERVICES } from './services.ts';
import { StartError } from './start-error.ts';

const interrupted = new AbortController();
// Kept for good: pnpm and the terminal may both send it, and the second one is no reason to stop less well.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupted.abort());

try {
  await launch({
    root: REPOSITORY,
    services: SERVICES,
    migrate: ['packages/common/src/migrate-cli.ts'],
    env: process.env,
    signal: interrupted.signal,
    print: console.log,
  });
} catch (error) {
  if (!interrupted.signal.aborted) {
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  }
}
