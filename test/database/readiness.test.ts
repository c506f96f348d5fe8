import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS, migrate } from '@pressroom/common/database/migrations';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest';
import { startContent } from '../support/content.ts';
import { createDatabase, databaseUrl } from '../support/database.ts';
import { send } from '../support/http.ts';
import { startNewsFeed } from '../support/news-feed.ts';

let url: string;
let client: pg.Client;
const folders: string[] = [];

beforeEach(async () => {
  const name = `readiness_${randomUUID().replaceAll('-', '')}`;
  await createDatabase(inject('serverUrl'), name);
  url = databaseUrl(inject('serverUrl'), name);
  client = new pg.Client({ connectionString: url });
  await client.connect();
});

afterEach(async () => {
  await client.end();
  const admin = new pg.Client({ connectionString: inject('serverUrl') });
  await admin.connect();
  await admin.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  await admin.end();
});

afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

/** The names of this build's migrations, in order. */
async function names(): Promise<string[]> {
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql'));
  return files.map((file) => file.slice(0, -4)).sort();
}

/** A folder of the first `count` migrations of this build, and `more`. */
async function build(count: number, more: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-build-'));
  folders.push(folder);
  for (const name of (await names()).slice(0, count)) {
    await writeFile(join(folder, `${name}.sql`), await readFile(join(MIGRATIONS, `${name}.sql`)));
  }
  for (const [file, sql] of Object.entries(more)) await writeFile(join(folder, file), sql);
  return folder;
}

test.each([
  ['content', startContent],
  ['the news feed', startNewsFeed],
])(
  '%s is not ready before the migrations of its build are applied, and says which are missing',
  async (_name, start) => {
    const all = await names();
    const service = await start(url);
    const readiness = () => send(`${service.url}/readyz`);

    const empty = await readiness();
    expect([empty.status, empty.headers.get('retry-after')]).toEqual([503, '1']);
    expect(empty.body).toMatchObject({
      code: 'temporarily_unavailable',
      detail: `the database lacks ${all.join(', ')}; run \`pnpm migrate\``,
    });

    await migrate(url, await build(1));
    const older = await readiness();
    expect(older.status).toBe(503);
    expect(older.body.detail).toContain(`lacks ${all.slice(1).join(', ')};`);
    expect((await send(`${service.url}/healthz`)).status).toBe(200);

    await migrate(url);
    expect((await readiness()).status).toBe(200);

    await client.query('update pressroom.function_set set revision = revision + 1');
    expect((await readiness()).status).toBe(200);
    await client.query('update pressroom.function_set set revision = 0');
    const behind = await readiness();
    expect(behind.status).toBe(503);
    expect(behind.body.detail).toMatch(
      /^the database lacks the functions of revision \d+; run `pnpm migrate`$/,
    );
    await migrate(url);
    expect((await readiness()).status).toBe(200);

    await migrate(
      url,
      await build(all.length, { '9999_of_a_newer_build.sql': 'create table newer (id int)' }),
    );
    expect((await readiness()).status).toBe(200);

    await client.query("update pressroom.migration_file set checksum = 'other' where name = $1", [all[0]]);
    const changed = await readiness();
    expect(changed.status).toBe(503);
    expect(changed.body.detail).toMatch(
      new RegExp(
        `^the database was made by other versions of ${all[0]}\\.sql\\. .* \`pnpm migrate --carry-over\``,
      ),
    );
    await service.close();
  },
);
