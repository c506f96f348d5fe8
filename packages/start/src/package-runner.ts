import { commandLine, isRunning, parentOf } from '@pressroom/embedded-postgres/processes';

/** How often the runners are checked, in ms. */
const POLL_MS = 500;

const PACKAGE_MANAGER = /(^|[\s/])p?np[mx](-cli)?(\.[cm]?js)?\s/;
const SHELL_WITH_COMMAND = /^\S*sh -c /;

/**
 * Calls back once if the npx, npm or pnpm that started this process has ended: a `kill` of npx is not passed
 * on to its child processes. Does nothing if none of them is an ancestor of this process.
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
