import { commandLine, isRunning, parentOf } from '@pressroom/embedded-postgres/processes';

/** How often the runners are looked at, in ms. */
const POLL_MS = 500;

const PACKAGE_MANAGER = /(^|[\s/])p?np[mx](-cli)?(\.[cm]?js)?\s/;
const SHELL_WITH_COMMAND = /^\S*sh -c /;

/**
 * Calls back once when npx, npm or pnpm, through which this process was started, has ended without it: a
 * `kill` of npx is not passed on to what it runs. Does nothing when none of them stands above this process.
 */
export function onRunnerGone(callback: () => void): void {
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
 * The processes from this one's parent up to the topmost package manager, the shells between included. A
 * shell above that is the reader's own: it may end and leave a start in the background.
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
