import { commandLine, isRunning, parentOf } from '@pressroom/embedded-postgres/processes';
import { StartError } from '@pressroom/embedded-postgres/start-error';
import { type Launch, launch } from './launch.ts';

/**
 * Launches in the foreground until Ctrl-C, SIGTERM, or the end of the terminal or of npx, with this process's
 * environment, arguments and output; sets the exit code to 1 when something fails.
 */
export async function runStart(what: Pick<Launch, 'root' | 'services' | 'migrate'>): Promise<void> {
  const options = optionsOf(process.argv.slice(2));
  if (typeof options === 'string') {
    console.error(options);
    process.exitCode = 1;
    return;
  }
  const interrupted = new AbortController();
  // Handled permanently: pnpm and the terminal may both send it, and the second must not abort the shutdown.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupted.abort());
  onRunnerGone(() => interrupted.abort());
  try {
    await launch({ ...what, env: process.env, ...options, signal: interrupted.signal, print: console.log });
  } catch (error) {
    if (interrupted.signal.aborted) return;
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  }
}

/** The options of the arguments, or what is wrong with them. */
function optionsOf(args: readonly string[]): Pick<Launch, 'sample' | 'carryOver'> | string {
  let sample: boolean | undefined;
  let carryOver = false;
  for (const argument of args) {
    if (argument === '--sample') sample = true;
    else if (argument === '--no-sample') sample = false;
    else if (argument === '--carry-over') carryOver = true;
    else
      return `Unknown argument ${argument}; the options are --sample, which creates samples in the database of DATABASE_URL too, --no-sample, and --carry-over, which brings over a database of an older chain of migrations; ports and all else are environment variables (docs/configuration.md)`;
  }
  return { sample, carryOver };
}

/** Interval at which the runners are checked, in ms. */
const POLL_MS = 500;

const PACKAGE_MANAGER = /(^|[\s/])p?np[mx](-cli)?(\.[cm]?js)?\s/;
const SHELL_WITH_COMMAND = /^\S*sh -c /;

/**
 * Calls back once if the npx, npm or pnpm that started this process has ended: a `kill` of npx is not passed
 * on to its child processes. Does nothing if none of them is an ancestor of this process.
 */
function onRunnerGone(callback: () => void): void {
  const runners = packageRunners();
  if (runners.length === 0) return;
  const timer = setInterval(() => {
    if (runners.every(isRunning)) return;
    clearInterval(timer);
    callback();
  }, POLL_MS);
  timer.unref();
}

/**
 * The processes from this one's parent up to the topmost package manager, including shells in between. A
 * shell above that is the user's own: it may end and leave a start in the background.
 */
function packageRunners(): readonly number[] {
  const chain: number[] = [];
  let managers = 0;
  for (let pid = parentOf(process.pid); pid !== undefined && pid > 1; pid = parentOf(pid)) {
    const command = commandLine(pid);
    const isManager = PACKAGE_MANAGER.test(command) && !SHELL_WITH_COMMAND.test(command);
    if (!isManager && !SHELL_WITH_COMMAND.test(command)) break;
    chain.push(pid);
    if (isManager) managers = chain.length;
  }
  return chain.slice(0, managers);
}
