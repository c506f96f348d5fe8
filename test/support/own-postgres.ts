import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type RunningPostgres, startPostgres } from '@pressroom/embedded-postgres/postgres';
import { parentOf } from '@pressroom/embedded-postgres/processes';
import { isOpen, postmasterOf } from './processes.ts';
import { temporaryHome } from './temporary-home.ts';

/** Settings of PostgreSQL by name. */
type Settings = Readonly<Record<string, string>>;

/** A PostgreSQL server of a test file's own, which can be stopped, started again and made to hang. */
export class OwnPostgres {
  readonly #home: string;
  readonly #settings: Settings;
  #server: RunningPostgres;

  private constructor(home: string, settings: Settings, server: RunningPostgres) {
    this.#home = home;
    this.#settings = settings;
    this.#server = server;
  }

  /** Makes a server with an empty database, below `home` if that is given, with its own `settings`. */
  static async create(home?: string, settings: Settings = {}): Promise<OwnPostgres> {
    const directory = home ?? (await temporaryHome());
    return new OwnPostgres(directory, settings, await start(directory, 0, settings));
  }

  /** Where it is, also after it has been started again. */
  get url(): string {
    return this.#server.url;
  }

  /** The directory that it was made in. */
  get home(): string {
    return this.#home;
  }

  /** Ends the server and its sessions. */
  stop(): Promise<void> {
    return this.#server.stop();
  }

  /** Starts the stopped server on the same data and the same port. */
  async start(): Promise<void> {
    this.#server = await start(this.#home, this.#server.port, this.#settings);
  }

  /** Ends the server as a crash does, and resolves when it is gone. */
  async kill(): Promise<void> {
    process.kill(postmasterOf(this.#server.dataDir), 'SIGKILL');
    await this.#server.exited;
  }

  /** Starts the server again if it has ended by itself. */
  async ensureRunning(): Promise<void> {
    if (await isOpen(this.#server.port)) return;
    await this.#server.stop();
    await this.start();
  }

  /** Stops every process of the server where it stands: connections are taken and nothing answers. */
  async hang(): Promise<void> {
    await this.#signal('SIGSTOP');
  }

  /** Lets the processes go on. */
  async goOn(): Promise<void> {
    await this.#signal('SIGCONT');
  }

  /** Ends the server and deletes its data. */
  async destroy(): Promise<void> {
    await this.#server.stop();
    await rm(this.#home, { recursive: true, force: true });
  }

  async #signal(name: NodeJS.Signals): Promise<void> {
    const postmaster = postmasterOf(this.#server.dataDir);
    // First the one that starts the others.
    process.kill(postmaster, name);
    for (const child of await childrenOf(postmaster)) signalIfThere(child, name);
  }
}

/** Workers come and go. */
function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** A crash of the machine is not tested here, and little room is taken, for servers on a small disk. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'on', max_wal_size: '64MB', min_wal_size: '32MB' };

function start(dataDir: string, port: number, settings: Settings): Promise<RunningPostgres> {
  return startPostgres({ dataDir, port, settings: { ...SETTINGS, ...settings } });
}

/** Minimal Linux has no `ps`, and nothing else has /proc. */
async function childrenOf(parent: number): Promise<number[]> {
  if (process.platform === 'linux') {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    return pids.filter((pid) => parentOf(pid) === parent);
  }
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return processes.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}
