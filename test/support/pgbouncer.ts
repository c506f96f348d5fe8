import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { isOpen } from './processes.ts';
import { temporaryHome } from './temporary-home.ts';
import { until } from './until.ts';

/** A PgBouncer in transaction mode before a database. */
export interface RunningPgBouncer {
  /** In the form of `DATABASE_URL`. */
  url: string;
  stop: () => Promise<void>;
}

/** True if there is a `pgbouncer` on the PATH. */
export function hasPgBouncer(): Promise<boolean> {
  return promisify(execFile)('pgbouncer', ['--version']).then(
    () => true,
    () => false,
  );
}

/**
 * Starts PgBouncer before the database of `url`, with further settings; without any, it has two connections
 * to it for all clients.
 */
export async function startPgBouncer(
  url: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<RunningPgBouncer> {
  const home = await temporaryHome();
  const port = await findFreePort();
  const { hostname, port: serverPort, username, password, pathname } = new URL(url);
  const name = pathname.slice(1);
  const file = join(home, 'pgbouncer.ini');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    file,
    [
      '[databases]',
      `${name} = host=${hostname} port=${serverPort} dbname=${name}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = plain\nauth_file = ${join(home, 'users')}`,
      'pool_mode = transaction\nmax_client_conn = 200',
      ...Object.entries({ default_pool_size: 2, ...settings }).map(([key, value]) => `${key} = ${value}`),
    ].join('\n'),
  );
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['--user', 'postgres'] : [];
  const bouncer = spawn('pgbouncer', ['--quiet', ...account, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  bouncer.stderr.on('data', (chunk) => {
    words += chunk;
  });
  await until('PgBouncer accepts connections', () => {
    if (bouncer.exitCode !== null) throw new Error(`PgBouncer did not start: ${words}`);
    return isOpen(port);
  });
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  const stop = async () => {
    const ended = once(bouncer, 'exit');
    bouncer.kill('SIGKILL');
    await ended;
    await rm(home, { recursive: true });
  };
  return { url: through.href, stop };
}
