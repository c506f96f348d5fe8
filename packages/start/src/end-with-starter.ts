import { isMainThread } from 'node:worker_threads';

/*
 * Preloaded (`node --import`) into every program that `pnpm start` runs: when the channel to the starter
 * closes, because the starter is gone, the program is told to end as a service is, by SIGTERM. The program
 * itself knows nothing of it. Worker threads inherit the preload; it is not for them.
 */
if (isMainThread) {
  const end = () => process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', end);
  // Waiting for the starter's end keeps no program alive that has nothing else to do.
  process.channel?.unref();
  if (!process.connected) end();
}
