import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@pressroom/common/database/migrations';
import { newServerUser } from '@pressroom/embedded-postgres/cluster';
import { type RunningPostgres, startPostgres } from '@pressroom/embedded-postgres/postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { makeAuthority } from '../support/authority.ts';
import { startContent } from '../support/content.ts';
import { send } from '../support/http.ts';
import { temporaryHome } from '../support/temporary-home.ts';

let home: string;
let server: RunningPostgres;

beforeAll(async () => {
  home = await temporaryHome();
  const authority = await makeAuthority();
  const { key, cert } = await authority.certify('localhost');
  const { uid, gid } = newServerUser();
  await writeFile(join(home, 'server.key'), key, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) await chown(join(home, 'server.key'), uid, gid);
  await writeFile(join(home, 'server.crt'), cert);
  await writeFile(join(home, 'authority.crt'), authority.cert);
  await writeFile(join(home, 'other.crt'), (await makeAuthority()).cert);
  server = await startPostgres({
    dataDir: join(home, 'data'),
    port: 0,
    settings: {
      fsync: 'off',
      ssl: 'on',
      ssl_cert_file: join(home, 'server.crt'),
      ssl_key_file: join(home, 'server.key'),
    },
  });
  await migrate(server.url);
});

afterAll(async () => {
  await server.stop();
  await rm(home, { recursive: true });
});

/** The server's address with its certificate checked: under which name, and by which authority. */
function checked(hostname: string, authority: string, url = server.url): string {
  const address = new URL(url);
  address.hostname = hostname;
  address.searchParams.set('sslmode', 'verify-full');
  address.searchParams.set('sslrootcert', join(home, authority));
  return address.href;
}

async function statusOf(databaseUrl: string): Promise<{ status: number; log: string }> {
  const service = await startContent(databaseUrl);
  onTestFinished(() => service.close());
  const { status } = await send(`${service.url}/api/articles`);
  return { status, log: service.log.text() };
}

test('queries and the listening connection are encrypted', async () => {
  const service = await startContent(checked('localhost', 'authority.crt'));
  onTestFinished(() => service.close());
  expect((await send(`${service.url}/readyz`)).status).toBe(200);
  const pool = new pg.Pool({ connectionString: server.url });
  onTestFinished(() => pool.end());
  await expect
    .poll(async () => {
      const { rows } = await pool.query(
        `select application_name as name, ssl from pg_stat_activity join pg_stat_ssl using (pid)
         where application_name like 'pressroom content%' order by 1`,
      );
      return rows;
    })
    .toEqual([
      { name: 'pressroom content', ssl: true },
      { name: 'pressroom content listener', ssl: true },
    ]);
});

test.each([
  ['a name that the certificate does not have', '127.0.0.1', 'authority.crt', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['a certificate of another authority', 'localhost', 'other.crt', 'CERT_SIGNATURE_FAILURE'],
])('is unavailable behind %s, and the log says why', async (_what, hostname, authority, code) => {
  const { status, log } = await statusOf(checked(hostname, authority));
  expect(status).toBe(503);
  expect(log).toContain(code);
});

test('does not fall back to an open connection', async () => {
  const { status, log } = await statusOf(checked('localhost', 'authority.crt', inject('serverUrl')));
  expect(status).toBe(503);
  expect(log).toContain('The server does not support SSL connections');
});
