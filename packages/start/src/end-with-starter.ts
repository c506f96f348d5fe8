import { isMainThread } from 'node:worker_threads';

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
}
