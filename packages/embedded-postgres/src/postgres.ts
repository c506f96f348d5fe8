import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Lock } from './lock.ts';
import { stopLeftover } from './postmaster.ts';
import { StartError } from './start-error.ts';
import type { SupervisorMessage, SupervisorRequest } from './supervisor.ts';

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
  const home = path.resolve(options.dataDir);
  const lock = claim(home);
  const supervisor = spawnSupervisor();
  const exited = ended(supervisor).then(() => lock.release());
  const abort = () => disconnect(supervisor);
  options.signal?.addEventListener('abort', abort);
  try {
    options.signal?.throwIfAborted();
    supervisor.send({
      home,
      port: options.port,
      settings: options.settings ?? {},
    } satisfies SupervisorRequest);
    const { url, dataDir, port } = await ready(supervisor, options.log ?? (() => undefined));
    const stop = async () => {
      disconnect(supervisor);
      await exited;
      // A server is only left behind if its supervisor was killed.
      await stopLeftover(dataDir, () => undefined);
    };
    return { url, dataDir, port, exited, stop };
  } catch (error) {
    disconnect(supervisor);
    await exited;
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
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

function spawnSupervisor(): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(new URL('supervisor.ts', import.meta.url))], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function ended(supervisor: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    supervisor.once('exit', () => resolve());
    supervisor.once('error', () => resolve());
  });
}

function disconnect(supervisor: ChildProcess): void {
  if (supervisor.connected) supervisor.disconnect();
}

type Ready = Extract<SupervisorMessage, { kind: 'ready' }>;

function ready(supervisor: ChildProcess, log: (line: string) => void): Promise<Ready> {
  return new Promise((resolve, reject) => {
    supervisor.on('message', (message: SupervisorMessage) => {
      if (message.kind === 'log') log(message.line);
      if (message.kind === 'ready') resolve(message);
      if (message.kind === 'failed') reject(new StartError(message.message));
    });
    supervisor.once('error', reject);
    // Not at its exit, which may be noticed before its last message is read.
    supervisor.once('disconnect', () =>
      reject(new StartError('The supervisor of PostgreSQL ended; start again')),
    );
  });
}
