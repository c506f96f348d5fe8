import { isMainThread } from 'node:worker_threads';

/** When memory that only the start needed is given back, in ms after it: V8 itself keeps it for minutes. */
const STARTED_MS = [15_000, 75_000];

/*
 * Preloaded (`node --import`) into every program that `pnpm start` runs: when the channel to the starter
 * closes, because the starter is gone, the program gets SIGTERM, like a service. The program itself is not
 * aware of this. Worker threads inherit the preload but ignore it.
 */
if (isMainThread) {
  const end = () => process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', end);
  // Waiting for the starter's end must not keep a program alive.
  process.channel?.unref();
  if (!process.connected) end();
  // `last-resort` returns pages to the system, too: 15 to 20 MiB of a service.
  const tidy = () => globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
  for (const ms of STARTED_MS) setTimeout(tidy, ms).unref();
}
