import { StartError } from '@pressroom/embedded-postgres/start-error';
import { type Launch, launch } from './launch.ts';
import { onRunnerGone } from './package-runner.ts';

const SAMPLE: Readonly<Record<string, boolean>> = { '--sample': true, '--no-sample': false };

/**
 * Launches in the foreground until Ctrl-C, SIGTERM, or the end of the terminal or of npx, with this process's
 * environment, arguments and output; sets the exit code to 1 when something fails.
 */
export async function runStart(what: Pick<Launch, 'root' | 'services' | 'migrate'>): Promise<void> {
  const [argument, ...others] = process.argv.slice(2);
  const sample = SAMPLE[argument ?? ''];
  const unknown = sample === undefined ? argument : others[0];
  if (unknown !== undefined) {
    console.error(
      `Unknown argument ${unknown}; the options are --sample, which creates samples in the database of DATABASE_URL too, and --no-sample`,
    );
    process.exitCode = 1;
    return;
  }
  const interrupted = new AbortController();
  // Handled permanently: pnpm and the terminal may both send it, and the second must not abort the shutdown.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupted.abort());
  onRunnerGone(() => interrupted.abort());
  try {
    await launch({ ...what, env: process.env, sample, signal: interrupted.signal, print: console.log });
  } catch (error) {
    if (interrupted.signal.aborted) return;
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  }
}
