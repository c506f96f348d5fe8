/** Kills a check's child process if this process ends first; returns a function that cancels this. */
export function killAtExit(kill: () => void): () => void {
  process.once('exit', kill);
  return () => void process.off('exit', kill);
}

/**
 * Lets signals end this process by way of its exit handlers, so that its child processes do not outlive it.
 */
export function exitOnSignals(): void {
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(name, () => process.exit(code));
  }
}
