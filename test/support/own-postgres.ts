import { rm } from 'node:fs/promises';
import { type RunningPostgres, startPostgres } from '@pressroom/embedded-postgres/postgres';
import { isOpen, postmasterOf, signalPostgres } from './processes.ts';
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

  /** Its address, also after it has been started again. */
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
    await signalPostgres(this.#server.dataDir, 'SIGSTOP');
  }

  /** Lets the processes go on. */
  async goOn(): Promise<void> {
    await signalPostgres(this.#server.dataDir, 'SIGCONT');
  }

  /** Ends the server and deletes its data. */
  async destroy(): Promise<void> {
    await this.#server.stop();
    await rm(this.#home, { recursive: true, force: true });
  }
}

/** A crash of the machine is not tested here, and little room is taken, for servers on a small disk. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'on', max_wal_size: '64MB', min_wal_size: '32MB' };

function start(dataDir: string, port: number, settings: Settings): Promise<RunningPostgres> {
  return startPostgres({ dataDir, port, settings: { ...SETTINGS, ...settings } });
}
