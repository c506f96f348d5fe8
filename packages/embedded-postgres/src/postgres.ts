import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { clusterLink, createDatabase, databaseUrl, openCluster } from './cluster.ts';
import { Lock } from './lock.ts';
import { ensureFreePort, findFreePort } from './ports.ts';
import { Postmaster, stopLeftover } from './postmaster.ts';
import { StartError } from './start-error.ts';

export interface PostgresOptions {
  /** Directory that keeps the server's files between runs; created if missing. One starter at a time. */
  readonly dataDir: string;
  /** TCP port on 127.0.0.1; 0: any free one. */
  readonly port: number;
  /** Receives lines for the user (a new database, data kept elsewhere). */
  readonly log?: (line: string) => void;
  /**
   * Server settings by name, as in postgresql.conf. With `fsync: 'off'` a new cluster is not synced either.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal;
}

/** An embedded PostgreSQL that accepts connections. It ends with the process that started it. */
export interface RunningPostgres {
  /** Address of the services' database, with the password: a secret. */
  readonly url: string;
  /** The real folder of PostgreSQL's files: below the given directory, or where its account has access. */
  readonly dataDir: string;
  /** TCP port on 127.0.0.1. */
  readonly port: number;
  /** Settled when the server has ended for any reason. */
  readonly exited: Promise<void>;
  /** Ends the sessions, writes everything to disk and stops the server; its port is free afterwards. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on a directory, creating the database there if it does not exist. Throws a {@link
 * StartError} (one line that says what to change) if the port is in use, another running starter uses the
 * directory, or PostgreSQL cannot run there; throws the signal's reason if that ends the start.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { settings = {}, log = () => undefined } = options;
  const home = path.resolve(options.dataDir);
  const lock = claim(home);
  await using unless = new AsyncDisposableStack();
  unless.defer(() => lock.release());
  options.signal?.throwIfAborted();
  await stopLeftover(clusterLink(home), log);
  const port = options.port || (await findFreePort());
  await ensureFreePort({ port, owner: 'PostgreSQL', variable: 'DATABASE_PORT' });
  const cluster = await openCluster({ home, sync: settings.fsync !== 'off', log });
  options.signal?.throwIfAborted();
  const started = { cluster, port, settings, logFile: path.join(home, 'server.log') };
  const server = Postmaster.spawn(started);
  unless.defer(() => server.stop());
  const aborted = options.signal ? [once(options.signal, 'abort')] : [];
  await Promise.race([server.ready(started), ...aborted]);
  options.signal?.throwIfAborted();
  await createDatabase(cluster, port);
  options.signal?.throwIfAborted();
  const running = unless.move();
  const exited = server.exited.then(() => running.disposeAsync());
  const stop = async () => {
    await server.stop();
    await exited;
    // A server is only left behind if its guard was killed.
    await stopLeftover(cluster.directory, () => undefined);
  };
  return { url: databaseUrl(cluster, port), dataDir: cluster.directory, port, exited, stop };
}

/** True if a running starter, in this or another process, runs the server of a directory. */
export function isPostgresStarted(dataDir: string): boolean {
  try {
    claim(path.resolve(dataDir)).release();
    return false;
  } catch (error) {
    if (error instanceof StartError) return true;
    throw error;
  }
}

function claim(home: string): Lock {
  makeHome(home);
  const lock = Lock.tryAcquire(path.join(home, 'starter.lock'));
  if (lock) return lock;
  throw new StartError(
    `${home} is in use by another start; stop that one first, or set DATA_DIR to another directory`,
  );
}

function makeHome(home: string): void {
  try {
    // 0711: if root starts it, PostgreSQL's account passes through to its data.
    mkdirSync(home, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw new StartError(`${home} cannot be created (${String(error)}); set DATA_DIR to another directory`);
  }
}
