import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, serverEnvironment } from './cluster.ts';
import { LOOPBACK } from './ports.ts';
import { commandLine, isRunning } from './processes.ts';
import { StartError } from './start-error.ts';

/** Interval at which a file or a process is checked again, in ms. */
const POLL_MS = 20;

/** Time for a leftover server to write everything to disk, in ms. */
const LEFTOVER_MS = 60_000;

export interface PostmasterOptions {
  readonly cluster: Cluster;
  readonly port: number;
  /** Server settings by name, as in postgresql.conf. */
  readonly settings: Readonly<Record<string, string>>;
  /** The server's log file; emptied at every start. */
  readonly logFile: string;
}

/** A running PostgreSQL server, by its first process. */
export class Postmaster {
  /** Settled when the server has ended for any reason. */
  readonly exited: Promise<unknown>;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
    this.exited = process.exitCode === null ? once(process, 'exit') : Promise.resolve();
  }

  /** Starts a server on a cluster that none runs on (see {@link stopLeftover}); it does not accept yet. */
  static spawn({ cluster, port, settings, logFile }: PostmasterOptions): Postmaster {
    const all = {
      timezone: 'UTC',
      log_timezone: 'UTC',
      ...settings,
      port: String(port),
      listen_addresses: LOOPBACK,
      // A socket's path is limited to 107 bytes, which a path of the reader's choice can exceed.
      unix_socket_directories: '',
    };
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    rmSync(logFile, { force: true });
    const log = openSync(logFile, 'a', 0o600);
    const child = spawn(cluster.binaries.postgres, ['-D', cluster.directory, ...flags], {
      ...cluster.user,
      cwd: '/',
      env: serverEnvironment(),
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    return new Postmaster(child);
  }

  /** Asks the server to stop: sessions end, everything is written to disk ("fast shutdown"). */
  async stop(): Promise<void> {
    this.#process.kill('SIGINT');
    await this.exited;
  }

  /** Settles when the server accepts connections. Throws a {@link StartError} when it ends before that. */
  async ready({ cluster, logFile }: PostmasterOptions): Promise<void> {
    const ended = this.exited.then(() => true);
    while (!isReady(cluster.directory, this.#process.pid)) {
      if (await Promise.race([ended, wait(POLL_MS, false)])) {
        throw new StartError(`PostgreSQL did not start: ${lastFatal(logFile)} (more in ${logFile})`);
      }
    }
  }
}

/**
 * Stops a server that an earlier start left running on a data directory (or on the target of a symbolic
 * link), and removes a `postmaster.pid` whose process is now a different program. Touches no other processes.
 */
export async function stopLeftover(link: string, log: (line: string) => void): Promise<void> {
  if (!existsSync(link)) return;
  const directory = realpathSync(link);
  const pid = Number(pidFile(directory)[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return;
  if (!isPostmasterOf(directory, pid)) {
    // PostgreSQL mistakes any live process of its account for a server. If one is still running after all,
    // the directory's shared memory prevents a second one from starting.
    rmSync(path.join(directory, 'postmaster.pid'), { force: true });
    return;
  }
  log(`Stopping the PostgreSQL that an earlier start left running (process ${pid})`);
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + LEFTOVER_MS;
  while (isPostmasterOf(directory, pid)) {
    if (Date.now() > deadline) {
      throw new StartError(
        `PostgreSQL of an earlier start (process ${pid}) does not stop; stop it, then start again`,
      );
    }
    await wait(POLL_MS);
  }
}

/** Lines of `postmaster.pid`: 1 the process, 4 the port, 8 the state (PostgreSQL's pidfile.h). */
function pidFile(directory: string): readonly string[] {
  const file = path.join(directory, 'postmaster.pid');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}

function isReady(directory: string, pid: number | undefined): boolean {
  const lines = pidFile(directory);
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}

function isPostmasterOf(directory: string, pid: number): boolean {
  const command = commandLine(pid);
  return command.includes('postgres') && command.includes(` -D ${directory} `);
}

function lastFatal(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').split('\n');
  const fatal =
    lines.findLast((line) => /\b(FATAL|PANIC): /.test(line)) ?? lines.findLast((line) => line !== '');
  return fatal?.replace(/^.*?\b(FATAL|PANIC): +/, '') ?? 'it ended without a message';
}
