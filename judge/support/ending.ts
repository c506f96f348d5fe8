/** Kills what a judge has started when this process ends before the judge has ended it; returns how to forget it. */
export function killAtExit(kill: () => void): () => void {
  process.once('exit', kill);
  return () => void process.off('exit', kill);
}

/** Lets signals end this process by way of its exit handlers, so that nothing it has started outlives it. */
export function exitOnSignals(): void {
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(name, () => process.exit(code));
  }
}
