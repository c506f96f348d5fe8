import { randomBytes } from 'node:crypto';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import pg from 'pg';
import { type RunningPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { temporaryHome } from '../../support/temporary-home.ts';
import { until } from '../../support/until.ts';
import { Program } from '../program.ts';
import type { StandDatabase } from '../stand.ts';
import { Member } from './member.ts';
import type { FailoverPrograms } from './programs.ts';

const USER = 'pressroom';

/** As docs/operations.md, "A database that fails over", says. */
const POOLER = {
  default_pool_size: 30,
  server_login_retry: 1,
  server_connect_timeout: 2,
  query_wait_timeout: 5,
};

interface Parts {
  home: string;
  etcd: Program;
  haproxy: Program;
  members: readonly Member[];
  url: string;
  pooler: RunningPgBouncer;
}

/**
 * Three PostgreSQLs that replicate synchronously, of which Patroni makes one the primary. HAProxy leads to
 * that one; PgBouncer, through which services send their queries, is in front of HAProxy.
 */
export class PatroniCluster implements StandDatabase {
  readonly members: readonly Member[];
  readonly url: string;
  readonly settings: Record<string, string>;
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.members = parts.members;
    this.url = parts.url;
    this.settings = { DATABASE_URL: parts.pooler.url, DATABASE_DIRECT_URL: parts.url };
  }

  static async start(programs: FailoverPrograms): Promise<PatroniCluster> {
    const home = await temporaryHome();
    const etcd = await etcdIn(home, programs);
    const password = randomBytes(16).toString('hex');
    const members: Member[] = [];
    for (const name of ['first', 'second', 'third']) {
      const own = join(home, name);
      await mkdir(own, { mode: 0o700 });
      const { uid, gid } = programs.account;
      if (uid !== undefined && gid !== undefined) await chown(own, uid, gid);
      members.push(
        await Member.start({ name, home: own, programs, etcdPort: etcd.port, user: USER, password }),
      );
    }
    const haproxy = await haproxyIn(home, programs, members);
    const url = `postgres://${USER}:${password}@127.0.0.1:${haproxy.port}/${USER}`;
    await until('there is a database', () => createDatabase(url));
    await becomesWhole(members);
    const pooler = await startPgBouncer(url, POOLER);
    await setLimits(url);
    return new PatroniCluster({ home, etcd, haproxy, members, url, pooler });
  }

  /** The member that is the primary. Waits for one. */
  primary(): Promise<Member> {
    return until('there is a primary', () => primaryAmong(this.members));
  }

  /** Waits until a member other than `former` is the primary. */
  primaryAfter(former: Member): Promise<Member> {
    const others = this.members.filter((member) => member !== former);
    return until('there is a new primary', () => primaryAmong(others));
  }

  /** Waits until two standbys follow a primary, one of them synchronously. */
  whole(): Promise<void> {
    return becomesWhole(this.members);
  }

  /** Ends everything, the database included. */
  async destroy(): Promise<void> {
    const { pooler, haproxy, etcd, home } = this.#parts;
    await pooler.stop();
    await haproxy.end();
    await Promise.all(this.members.map((member) => member.stop()));
    await etcd.end();
    await rm(home, { recursive: true, force: true });
  }
}

async function primaryAmong(members: readonly Member[]): Promise<Member | undefined> {
  const are = await Promise.all(members.map((member) => member.isPrimary()));
  return members.find((_, index) => are[index]);
}

async function becomesWhole(members: readonly Member[]): Promise<void> {
  await until('the cluster is whole', async () => {
    const leader = await primaryAmong(members);
    const all = (await leader?.cluster())?.members ?? [];
    const follow = all.filter(({ role, state }) => role !== 'leader' && state === 'streaming');
    return follow.length === members.length - 1 && follow.some(({ role }) => role === 'sync_standby');
  });
}

/** True when it is there; throws nothing while the cluster is not. */
async function createDatabase(url: string): Promise<boolean> {
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new pg.Client({ connectionString: maintenance.href, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`create database ${USER}`);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === '42P04';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A pooler refuses time limits from services, so their role has them. */
async function setLimits(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `alter role ${USER} in database ${USER} set statement_timeout = '5s';
     alter role ${USER} in database ${USER} set idle_in_transaction_session_timeout = '10s'`,
  );
  await client.end();
}

async function etcdIn(home: string, { etcd: command }: FailoverPrograms): Promise<Program> {
  const [port, peerPort] = [await findFreePort(), await findFreePort()];
  const peers = `http://127.0.0.1:${peerPort}`;
  const clients = `http://127.0.0.1:${port}`;
  const etcd = new Program({
    name: 'etcd',
    port,
    command,
    args: [
      ...['--data-dir', join(home, 'etcd'), '--log-level', 'error'],
      ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ...['--initial-cluster', `default=${peers}`],
    ],
  });
  await etcd.start();
  // Patroni ends if it asks before that.
  await until('etcd has a version', async () => {
    const answer = await fetch(`${clients}/version`);
    return /"etcdcluster":"\d/.test(await answer.text());
  });
  return etcd;
}

/** Leads to the member whose Patroni says that it is the primary, and ends connections to any other. */
async function haproxyIn(
  home: string,
  { haproxy: command }: FailoverPrograms,
  members: readonly Member[],
): Promise<Program> {
  const port = await findFreePort();
  const file = join(home, 'haproxy.cfg');
  await writeFile(file, haproxySettings(port, members));
  const haproxy = new Program({ name: 'HAProxy', port, command, args: ['-db', '-f', file] });
  await haproxy.start();
  return haproxy;
}

function haproxySettings(port: number, members: readonly Member[]): string {
  const lines = members.map(
    (member) => `  server ${member.name} 127.0.0.1:${member.port} check port ${member.restPort}`,
  );
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s downinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${lines.join('\n')}
`;
}
