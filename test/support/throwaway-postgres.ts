import { rm } from 'node:fs/promises';
import { type RunningPostgres, startPostgres } from '@pressroom/embedded-postgres/postgres';
import { temporaryHome } from './temporary-home.ts';

/** A PostgreSQL whose files go when it is stopped. */
export type ThrowawayPostgres = RunningPostgres & AsyncDisposable;

/** Starts a PostgreSQL on a free port, with these settings. */
export async function startThrowaway(settings: Record<string, string>): Promise<ThrowawayPostgres> {
  const dataDir = await temporaryHome();
  const server = await startPostgres({ dataDir, port: 0, settings });
  const stop = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...server, stop, [Symbol.asyncDispose]: stop };
}
