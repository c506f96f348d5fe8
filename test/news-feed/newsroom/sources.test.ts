import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { FeedHost, rss } from '../../support/feed-host.ts';
import { newsroom } from '../../support/newsroom.ts';
import { until } from '../../support/until.ts';
import { startWorker } from '../../support/worker.ts';

let database: TestDatabase;
const host = await FeedHost.start();
const folder = mkdtempSync(join(tmpdir(), 'opml-'));

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await host.close();
  await database.drop();
});

const run = (...args: string[]) => newsroom(database.url, args);

test('an editor adds, imports, exports and removes sources, and sees how they are', async () => {
  expect(await run('status', '--check')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('workers   0'),
  });
  host.set('/feed', { body: rss([{ guid: 'a' }, { guid: 'b', link: '' }], { title: 'The feed' }) });
  expect(
    await run('sources', 'add', host.at('/feed'), '--category', 'product', '--select', 'all'),
  ).toMatchObject({
    code: 0,
    stdout: '1: added\n',
  });
  expect((await run('sources', 'add', host.at('/feed'))).stdout).toContain('already a source');
  for (const [args, reason] of [
    [['ftp://example.com'], 'not an http or https URL'],
    [['https://example.com/', '--category', 'nonsense'], 'must be one of technology'],
    [['https://example.com/', '--select', 'score>=101'], 'the select rule must be auto, all, none'],
  ] as const) {
    expect(await run('sources', 'add', ...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(reason),
    });
  }
  const file = join(folder, 'sources.opml');
  writeFileSync(
    file,
    `<opml version="2.0"><body><outline text="Folder"><outline text="Missing" xmlUrl="${host.at('/missing')}"/></outline>
    <outline text="Known" xmlUrl="${host.at('/feed')}"/><outline text="Bad" xmlUrl="gopher://x"/></body></opml>`,
  );
  expect(await run('sources', 'import', file)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^1 added, 1 already there, 1 refused\ngopher:/),
  });
  expect((await run('sources', 'edit', '1', '--rule', 'drop if title ~ /(/')).stderr).toContain(
    'not one of RE2',
  );
  const worker = await startWorker(database.url);
  await until('both are polled', async () => {
    const { rows } = await database.pool.query('select from news.source where last_polled_at is not null');
    return rows.length === 2;
  });
  await until('the item', async () => (await database.pool.query('select from news.item')).rows.length === 1);
  const listed = (await run('sources', 'list')).stdout;
  expect(listed).toMatch(
    /1 {2}The feed .*\n {4}active, read 2.*, 1 new in 24 h\n {4}1 entry .*without an address/,
  );
  expect((await run('sources', 'show', '1')).stdout).toMatch(
    /\nunusable entries {2}1\nunread entries {4}0\n/,
  );
  expect(listed).toMatch(
    /Missing .*\n {4}active, not read yet, .* failing since .*\n {4}it answered with status 404/,
  );
  await database.pool.query(
    `insert into news.editorial_budget values ((now() at time zone 'Asia/Shanghai')::date, 3, 1200)`,
  );
  expect(await run('status', '--check')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /workers {3}1\nqueue {5}poll: 0 queued, 0 active, 1 to be tried again\n[\s\S]*\nmodel {5}3 requests and 1200 tokens today\n/,
    ),
  });
  await worker.stop();
  expect((await run('jobs')).stdout).toMatch(
    /^poll {2}source 2, .*\/missing: failed once, again at 2.*\n {4}it answered with status 404\n$/,
  );
  expect((await run('sources', 'export')).stdout).toContain(`xmlUrl="${host.at('/feed')}"`);
  const rule = ['--rule', 'drop if title ~ /^title OF a/i'];
  expect((await run('sources', 'edit', '1', ...rule, '--try')).stdout).toBe(
    'drop   Title of a: drop if title ~ /^title OF a/i\n1 of 1 entries would be dropped; nothing was changed\n',
  );
  expect((await run('sources', 'dropped', '1')).stdout).toBe('Its rules have dropped nothing.\n');
  for (const args of [
    ['edit', '1', ...rule],
    ['pause', '1'],
    ['resume', host.at('/feed')],
    ['edit', '1', '--name', 'Mine'],
    ['remove', '1'],
  ]) {
    expect(await run('sources', ...args)).toMatchObject({ code: 0, stdout: '1: done\n' });
  }
  expect(await run('sources', 'show', '1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('source 1 does not exist'),
  });
  await run('sources', 'remove', '2');
  expect((await run('jobs')).stdout).toBe('Nothing that is to be tried again has failed.\n');
});
