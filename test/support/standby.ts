import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { appendFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Cluster, openCluster } from '@pressroom/embedded-postgres/cluster';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { Postmaster } from '@pressroom/embedded-postgres/postmaster';
import pg from 'pg';
import type { OwnPostgres } from './own-postgres.ts';
import { postmasterOf } from './processes.ts';
import { until } from './until.ts';

const run = promisify(execFile);

/** Files of a running server that its copy must not have. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts'];

const SETTINGS = { fsync: 'off', max_wal_size: '64MB', min_wal_size: '32MB' };

let copies = 0;

/** A streaming replica of an {@link OwnPostgres}, which can lag, stop, and become a primary. */
export class Standby {
  readonly url: string;
  readonly #cluster: Cluster;
  readonly #port: number;
  #server: Postmaster | undefined;

  private constructor(cluster: Cluster, port: number, url: string) {
    this.#cluster = cluster;
    this.#port = port;
    this.url = url;
  }

  /** Copies a running server by PostgreSQL's own protocol of a base backup, and follows it under `name`. */
  static async of(primary: OwnPostgres, name = 'standby'): Promise<Standby> {
    const cluster = await openCluster({ home: primary.home, sync: false, log: () => undefined });
    copies += 1;
    const directory = `${cluster.directory}-${name}-${copies}`;
    const url = new URL(primary.url);
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    await client.query('select pg_backup_start($1, true)', [name]);
    await run('cp', ['-a', cluster.directory, directory]);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await client.end();
    for (const file of LEFT_OUT) await rm(join(directory, file), { force: true });
    const wal = (await readdir(join(directory, 'pg_wal'))).filter((file) => /^[0-9A-F]{24}$/.test(file));
    for (const file of wal) await rm(join(directory, 'pg_wal', file));
    await writeFile(join(directory, 'backup_label'), rows[0].labelfile);
    await writeFile(join(directory, 'standby.signal'), '');
    const source = [
      `host=${url.hostname}`,
      `port=${url.port}`,
      `user=${url.username}`,
      `password=${url.password}`,
      `application_name=${name}`,
    ];
    await appendFile(
      join(directory, 'postgresql.auto.conf'),
      `\nprimary_conninfo = '${source.join(' ')}'\nwal_retrieve_retry_interval = '100ms'\n`,
    );
    const port = await findFreePort();
    url.port = String(port);
    const standby = new Standby({ ...cluster, directory }, port, url.href);
    await standby.start();
    return standby;
  }

  /** Starts it, and resolves when it answers. */
  async start(): Promise<void> {
    const { directory, user } = this.#cluster;
    if (user.uid !== undefined) await run('chown', ['-R', `${user.uid}:${user.gid}`, directory]);
    const logFile = `${directory}.log`;
    const options = { cluster: this.#cluster, port: this.#port, settings: SETTINGS, logFile };
    const server = Postmaster.spawn(options);
    this.#server = server;
    process.once('exit', this.#kill);
    let ended = false;
    void server.exited.then(() => {
      ended = true;
    });
    await until('the standby answers', async () => {
      if (ended) throw new Error(`the standby ended; see ${logFile}`);
      return this.query('select 1').then(
        () => true,
        () => false,
      );
    });
  }

  /** Runs a statement on it. */
  async query(text: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2000 });
    client.on('error', () => undefined);
    await client.connect();
    return client.query(text).finally(() => client.end());
  }

  /** Applies what it receives no sooner than `ms` after it was committed. */
  async lag(ms: number): Promise<void> {
    await this.query(`alter system set recovery_min_apply_delay = '${ms}ms'`);
    await this.query('select pg_reload_conf()');
  }

  /** Applies nothing more of what it receives, or goes on. */
  async pauseReplay(): Promise<void> {
    await this.query('select pg_wal_replay_pause()');
    await until('the replay is paused', async () => {
      const { rows } = await this.query('select pg_get_wal_replay_pause_state() as state');
      return rows[0].state === 'paused';
    });
  }

  /** Goes on after {@link pauseReplay}. */
  async resumeReplay(): Promise<void> {
    await this.query('select pg_wal_replay_resume()');
  }

  /** Makes it a primary. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 60)');
  }

  /** Ends it and its sessions. */
  async stop(): Promise<void> {
    process.off('exit', this.#kill);
    await this.#server?.stop();
    this.#server = undefined;
  }

  /** Ends it and deletes its data. */
  async destroy(): Promise<void> {
    await this.stop();
    rmSync(this.#cluster.directory, { recursive: true, force: true });
    rmSync(`${this.#cluster.directory}.log`, { force: true });
  }

  /** Nothing outlives a run that is broken off. */
  readonly #kill = (): void => {
    process.kill(postmasterOf(this.#cluster.directory), 'SIGINT');
  };
}
