import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { postmasterOf, signalPostgres } from '../../support/processes.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { Program } from '../program.ts';
import type { FailoverPrograms } from './programs.ts';

/** Patroni's times, in s: the shortest time to live that it accepts, and others that fit into it. */
const DECISIONS = { ttl: 20, loop_wait: 2, retry_timeout: 3 };

/** Timeout of Patroni's answers, in ms. */
const ANSWER_MS = 1000;

/** Options that all members share. */
export interface MemberOptions {
  name: string;
  /** A directory of its own that PostgreSQL's account owns. */
  home: string;
  programs: FailoverPrograms;
  etcdPort: number;
  user: string;
  password: string;
}

/** A PostgreSQL and the Patroni that decides what it is: together, a machine of the cluster. */
export class Member {
  readonly name: string;
  readonly port: number;
  /** Of Patroni's REST API. */
  readonly restPort: number;
  /** Between this member and etcd. */
  readonly etcd: TcpProxy;
  readonly #patroni: Program;
  readonly #directory: string;

  private constructor(
    name: string,
    parts: { port: number; etcd: TcpProxy; patroni: Program; directory: string },
  ) {
    this.name = name;
    this.port = parts.port;
    this.restPort = parts.patroni.port;
    this.etcd = parts.etcd;
    this.#patroni = parts.patroni;
    this.#directory = parts.directory;
  }

  /** Starts Patroni, which makes a new database, or a copy of the one that the cluster has. */
  static async start(options: MemberOptions): Promise<Member> {
    const { name, home, programs } = options;
    const [port, restPort] = [await findFreePort(), await findFreePort()];
    const etcd = await TcpProxy.start({ host: '127.0.0.1', port: options.etcdPort });
    const file = join(home, 'patroni.json');
    // JSON is YAML, too.
    await writeFile(file, JSON.stringify(settingsOf(options, { port, restPort, etcdPort: etcd.port })));
    const patroni = new Program({
      name: `Patroni of ${name}`,
      port: restPort,
      command: programs.patroni,
      args: [file],
      cwd: '/',
      account: programs.account,
      env: { LC_ALL: 'C.UTF-8' },
    });
    await patroni.start();
    const member = new Member(name, { port, etcd, patroni, directory: join(home, 'data') });
    // Nothing outlives a run that is broken off, and PostgreSQL is no child of Patroni's.
    process.once('exit', () => member.#killServer());
    return member;
  }

  /** True if Patroni holds this member for the primary. */
  async isPrimary(): Promise<boolean> {
    return (await this.#ask('/primary'))?.ok ?? false;
  }

  /** Returns this member's view of the whole cluster; undefined if it does not answer. */
  async cluster(): Promise<{ members: { name: string; role: string; state: string }[] } | undefined> {
    const answer = await this.#ask('/cluster');
    return answer?.json();
  }

  /** Hands the lead to another member, as an operator does before maintenance. */
  async switchOver(): Promise<void> {
    const body = JSON.stringify({ leader: this.name });
    const answer = await fetch(`http://127.0.0.1:${this.restPort}/switchover`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`the switchover was answered ${answer.status} ${await answer.text()}`);
  }

  /** Everything on its machine is gone at once. */
  async kill(): Promise<void> {
    await this.#patroni.end();
    await signalPostgres(this.#directory, 'SIGKILL');
  }

  /** Only Patroni is gone. */
  async killPatroni(): Promise<void> {
    await this.#patroni.end();
  }

  /** Starts Patroni again, which starts PostgreSQL if that does not run. */
  async start(): Promise<void> {
    await this.#patroni.start();
  }

  /** Everything on its machine stands still. */
  async hang(): Promise<void> {
    this.#patroni.signal('SIGSTOP');
    await signalPostgres(this.#directory, 'SIGSTOP');
  }

  /** Everything goes on where it stood. */
  async goOn(): Promise<void> {
    await signalPostgres(this.#directory, 'SIGCONT');
    this.#patroni.signal('SIGCONT');
  }

  /** Ends it. */
  async stop(): Promise<void> {
    await this.#patroni.end();
    this.#killServer();
    await this.etcd.close();
  }

  #killServer(): void {
    try {
      process.kill(postmasterOf(this.#directory), 'SIGQUIT');
      process.kill(postmasterOf(this.#directory), 'SIGCONT');
    } catch {
      // It has never run, or runs no more.
    }
  }

  async #ask(path: string): Promise<Response | undefined> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return fetch(`http://127.0.0.1:${this.restPort}${path}`, { signal }).catch(() => undefined);
  }
}

interface Ports {
  port: number;
  restPort: number;
  etcdPort: number;
}

function settingsOf({ name, home, programs, user, password }: MemberOptions, ports: Ports): object {
  const login = { username: user, password };
  return {
    scope: 'pressroom',
    name,
    log: { dir: home },
    restapi: { listen: `127.0.0.1:${ports.restPort}`, connect_address: `127.0.0.1:${ports.restPort}` },
    // As a proxy, so that Patroni asks etcd for no address besides this.
    etcd3: { hosts: [`127.0.0.1:${ports.etcdPort}`], use_proxies: true },
    bootstrap: {
      dcs: {
        ...DECISIONS,
        synchronous_mode: true,
        // One that crashed is not waited for.
        primary_start_timeout: 0,
        postgresql: { use_pg_rewind: true },
      },
      initdb: [
        { encoding: 'UTF8' },
        { locale: 'C' },
        { 'locale-provider': 'builtin' },
        { 'builtin-locale': 'C.UTF-8' },
        { auth: 'scram-sha-256' },
      ],
    },
    postgresql: {
      listen: `127.0.0.1:${ports.port}`,
      connect_address: `127.0.0.1:${ports.port}`,
      data_dir: join(home, 'data'),
      bin_dir: programs.postgres,
      pgpass: join(home, 'pgpass'),
      authentication: { superuser: login, replication: login, rewind: login },
      pg_hba: [
        'host all all 127.0.0.1/32 scram-sha-256',
        `host replication ${user} 127.0.0.1/32 scram-sha-256`,
      ],
      basebackup: [{ checkpoint: 'fast' }],
      // A crash of the machine's system is not tested here. A socket's path would be too long.
      parameters: {
        ...{ fsync: 'off', unix_socket_directories: '', timezone: 'UTC', log_timezone: 'UTC' },
        // Until a standby follows the new primary, that acknowledges nothing.
        wal_retrieve_retry_interval: '500ms',
      },
    },
  };
}
