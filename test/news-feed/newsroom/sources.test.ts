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

process.env.NEWS_PRIVATE_HOSTS = '127.0.0.1';

const run = (...args: string[]) => newsroom(database.url, args);

test('an editor adds, imports, exports and removes sources, and sees how they are', async () => {
  expect(await run('status', '--check')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('workers   0'),
  });
  const list = [1, 2, 3, 4].map((n) => `<h2><a href="a/${n}?x=1">A report on the harbour ${n}</a></h2>`);
  const page = {
    headers: { 'content-type': 'text/html' },
    body: `<title>Town</title>${list.join('<p>Text.</p>')}`,
  };
  host.set('/town/', page);
  const town = [host.at('/town/'), '--page'];
  expect(await run('sources', 'add', ...town, '--try')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^without a date {12}A report on the harbour 1\n {4}http.*\/town\/a\/1\?x=1\n[\s\S]*\n4 entries were found\nnothing was changed\n$/,
    ),
  });
  expect(await run('sources', 'add', ...town, 'article')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no articles were found'),
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
    'not a valid RE2 pattern',
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
      /workers {3}1\nqueue {5}poll: 0 queued, 0 active, 1 to be retried\n[\s\S]*\nmodel {5}3 requests and 1200 tokens today\n/,
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
  const json = async (...args: string[]) => JSON.parse((await run('sources', ...args, '--json')).stdout);
  expect(await json('list')).toMatchObject([
    { id: 1, name: 'The feed', state: 'active', new_in_24_h: 1, unusable_entries: 1 },
    { id: 2, last_error: 'it answered with status 404' },
  ]);
  expect(await json('show', '2')).toMatchObject({ id: 2, failures: 1, refused: [] });
  expect(await json('edit', '1', ...rule, '--try')).toMatchObject([
    { title: 'Title of a', droppedBy: rule[1] },
  ]);
  expect(await json('dropped', '1')).toEqual([]);
  expect(await json('import', file)).toMatchObject({
    added: 0,
    known: 2,
    refused: [expect.stringContaining('gopher')],
  });
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
  expect((await run('sources', 'add', ...town)).stdout).toMatch(/4 entries were found\n3: added\n$/);
  const edited = await run('sources', 'edit', '3', '--page', 'h2; link a', '--json');
  expect(JSON.parse(edited.stdout)).toMatchObject({
    title: 'Town',
    entries: Array(4).fill({ publishedAt: null }),
  });
  const { rows } = await database.pool.query('select list_selectors from news.source where removed is null');
  expect(rows).toEqual([{ list_selectors: 'h2; link a' }]);
});
