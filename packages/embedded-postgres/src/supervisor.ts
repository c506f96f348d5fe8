/**
 * The process between a starter and PostgreSQL. It has its own process group, so that Ctrl-C does not reach
 * PostgreSQL before the services have finished. It stops PostgreSQL when its channel to the starter closes,
 * even if the starter is killed.
 */
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, clusterLink, createDatabase, databaseUrl, openCluster } from './cluster.ts';
import { Lock } from './lock.ts';
import { ensureFreePort, findFreePort } from './ports.ts';
import { Postmaster, stopLeftover } from './postmaster.ts';
import { StartError } from './start-error.ts';

/** Time for the supervisor of an earlier, killed starter to finish, in ms. */
const PREDECESSOR_MS = 60_000;

/** The starter's request: its first and only message. */
export interface SupervisorRequest {
  /** Absolute path of the starter's directory for this server. */
  readonly home: string;
  /** TCP port on the loopback address; 0: any free one. */
  readonly port: number;
  /** Server settings by name, as in postgresql.conf. */
  readonly settings: Readonly<Record<string, string>>;
}

export type SupervisorMessage =
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'ready'; readonly url: string; readonly dataDir: string; readonly port: number }
  | { readonly kind: 'failed'; readonly message: string };

const starterEnded = Promise.race([once(process, 'disconnect'), once(process, 'SIGTERM')]);
const [request] = await once(process, 'message');
try {
  await supervise(request as SupervisorRequest);
} catch (error) {
  tell({ kind: 'failed', message: error instanceof StartError ? error.message : String(error) });
  process.exitCode = 1;
}
if (process.connected) process.disconnect?.();

async function supervise({ home, port: wanted, settings }: SupervisorRequest): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const lock = await acquire(path.join(home, 'supervisor.lock'));
  cleanup.defer(() => lock.release());
  await stopLeftover(clusterLink(home), log);
  const port = wanted === 0 ? await findFreePort() : wanted;
  await ensureFreePort({ port, owner: 'PostgreSQL', variable: 'DATABASE_PORT' });
  const cluster = await openCluster({ home, sync: settings.fsync !== 'off', log });
  if (!process.connected) return;

  const server = await startServer(cluster, port, settings, path.join(home, 'server.log'), cleanup);
  tell({ kind: 'ready', url: databaseUrl(cluster, port), dataDir: cluster.directory, port });
  await Promise.race([starterEnded, server.exited]);
}

async function startServer(
  cluster: Cluster,
  port: number,
  settings: Readonly<Record<string, string>>,
  logFile: string,
  cleanup: AsyncDisposableStack,
): Promise<Postmaster> {
  const options = { cluster, port, settings, logFile };
  const server = Postmaster.spawn(options);
  cleanup.defer(() => server.stop());
  await Promise.race([server.ready(options), starterEnded]);
  if (process.connected) await createDatabase(cluster, port);
  return server;
}

async function acquire(file: string): Promise<Lock> {
  const deadline = Date.now() + PREDECESSOR_MS;
  for (;;) {
    const lock = Lock.tryAcquire(file);
    if (lock) return lock;
    if (Date.now() > deadline || !process.connected) {
      throw new StartError(
        `PostgreSQL of an earlier start is still stopping (${file} is locked); try again later`,
      );
    }
    await wait(50);
  }
}

function log(line: string): void {
  tell({ kind: 'log', line });
}

function tell(message: SupervisorMessage): void {
  // The starter may already be gone, and then this is lost.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
