import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readVocabulary } from '@pressroom/news-feed/config';
import { importLineReader, importReport } from '@pressroom/news-feed/editing/importer';
import { upsertItems } from '@pressroom/news-feed/editing/items';
import { sampleLines } from '@pressroom/news-feed/editing/sample';
import { transactWithRetries } from '@pressroom/news-feed/transactions';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { importLines, itemLine, newsroom, tryLines } from '../../support/newsroom.ts';
import { temporaryHome } from '../../support/temporary-home.ts';
import { until } from '../../support/until.ts';

let feed: NewsFeedFixture;

beforeAll(async () => {
  feed = await newsFeedFixture();
});

afterAll(() => feed.close());

beforeEach(async () => {
  await feed.database.pool.query(
    'truncate news.item, news.story, news.ranking, news.ranking_entry, news.reset_event, news.reset_activity cascade',
  );
});

function run(args: string[], input?: string | Uint8Array) {
  return newsroom(feed.database.url, args, input);
}

function importText(lines: readonly (object | string)[], ...options: string[]) {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return run(['import', '-', ...options], text);
}

/** Like `importText`, without a separate process; returns what the command would print. */
async function importHere(lines: readonly object[]): Promise<string> {
  return importReport(await tryLines(feed.db, lines), false);
}

/** Waits until a session of this database waits for a lock. */
function untilWaiting(event: string) {
  return until(`somebody waits for ${event}`, async () => {
    const { rows } = await feed.database.pool.query(
      'select from pg_stat_activity where datname = current_database() and wait_event = $1',
      [event],
    );
    return rows.length > 0;
  });
}

/** The row of an item. */
async function row(id: string) {
  return feed.db.selectFrom('news.item').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A reset event as a line brings it. */
function resetEvent(id: string, posts: object[]): object {
  return {
    id,
    type: 'direct_reset',
    displayLabel: 'Reset',
    presentation: null,
    estimate: null,
    status: 'announced',
    title: 'T',
    scope: 'S',
    createdAt: '2026-11-20T00:00:00Z',
    updatedAt: '2026-11-20T00:00:00Z',
    confirmedAt: null,
    occurredOn: '2026-11-20',
    confirmationBasis: null,
    schedule: null,
    posts,
    url: 'https://a.example/',
  };
}

const FULL = {
  originalTitle: '原标题',
  summary: 'Summary',
  source: { name: 'Source', firstParty: true },
  discoveredAt: '2026-11-20T01:00:00.000Z',
  category: 'research',
  score: 77,
  selected: true,
  reason: 'Because',
  directions: ['overseas', 'domestic'],
  image: { url: 'https://img.source.example/a.jpg', width: 640, height: 480, alt: 'A shore' },
  language: 'zh_hant-tw',
  authors: ['Ada'],
  tags: ['Space', '太空'],
  enclosures: [{ url: 'https://pod.example/1.mp3', type: 'audio/mpeg', length: 9, duration: 62 }],
};

describe('import', () => {
  test('an item is imported as given, and importing it again changes nothing', async () => {
    expect(await importHere([itemLine('a', FULL)])).toBe('1 created, 0 changed, 0 unchanged, 0 refused');
    const first = await row('a');
    expect(first).toMatchObject({
      title: 'Title of a',
      original_title: '原标题',
      summary: 'Summary',
      source_name: 'Source',
      source_first_party: true,
      original_url: 'https://source.example/a',
      published_at: new Date('2026-11-20T00:00:00Z'),
      discovered_at: new Date('2026-11-20T01:00:00Z'),
      category: 'research',
      score: 77,
      selected: true,
      reason: 'Because',
      directions: ['overseas', 'domestic'],
      image: FULL.image,
      language: 'zh-Hant-TW',
      authors: FULL.authors,
      tags: FULL.tags,
      enclosures: FULL.enclosures,
    });
    expect(await importHere([itemLine('a', FULL)])).toBe('0 created, 0 changed, 1 unchanged, 0 refused');
    expect(await row('a')).toEqual(first);
  });

  test('absent members keep their values, null removes them', async () => {
    await importHere([itemLine('a', FULL)]);
    await importHere([itemLine('a', { title: 'New', score: null, reason: null, language: null })]);
    expect(await row('a')).toMatchObject({
      title: 'New',
      score: null,
      reason: null,
      original_title: '原标题',
      summary: 'Summary',
      source_first_party: true,
      discovered_at: new Date('2026-11-20T01:00:00Z'),
      category: 'research',
      selected: true,
      directions: ['overseas', 'domestic'],
      image: FULL.image,
      language: null,
    });
  });

  test('an item without an id is recognised by its canonical address', async () => {
    const line = (original: string, title: string) =>
      itemLine('x', { id: undefined, title, links: { original } });
    const report = await importHere([
      line('https://source.example/x?id=1', 'First'),
      line('http://source.example/x/?id=1&utm_source=feed#top', 'Second'),
      line('https://source.example/x?id=2', 'Another'),
    ]);
    expect(report).toBe('2 created, 1 changed, 0 unchanged, 0 refused');
    const rows = await feed.db.selectFrom('news.item').select('title').orderBy('title').execute();
    expect(rows.map(({ title }) => title)).toEqual(['Another', 'Second']);
  });

  test('a new item is discovered when it is imported', async () => {
    const before = Date.now();
    await importHere([itemLine('a')]);
    const discovered = (await row('a'))?.discovered_at.getTime();
    expect(discovered).toBeGreaterThanOrEqual(before);
    expect(discovered).toBeLessThanOrEqual(Date.now());
  });

  test('refused lines are listed with their reasons and do not stop the others', async () => {
    const { code, stdout } = await importText([
      itemLine('a'),
      '{"type":"item"',
      '',
      itemLine('b', { category: 'sports' }),
      itemLine('c', { story: 'nowhere' }),
      itemLine('d', { links: { original: 'https://source.example/a' } }),
      itemLine('e', { links: { original: `https://source.example/${'e'.repeat(2100)}` } }),
      { type: 'withdraw', id: 'nothing' },
      { type: 'merge', from: 'x', into: 'y' },
      itemLine('f'),
    ]);
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      '2 created, 0 changed, 0 unchanged, 7 refused',
      'line 2: the line is not JSON',
      expect.stringMatching(/^line 4: category: must be one of technology, /),
      'line 5: story: story nowhere does not exist',
      'line 6: links.original: item a already has this address',
      'line 7: links.original: must be at most 2048 characters long without its tracking parameters',
      'line 8: item nothing does not exist',
      'line 9: story x does not exist',
      '',
    ]);
    expect(await feed.db.selectFrom('news.item').select('id').orderBy('id').execute()).toEqual([
      { id: 'a' },
      { id: 'f' },
    ]);
  });

  test('a line that is not UTF-8 is refused', async () => {
    const { code, stdout } = await run(['import', '-'], Buffer.from([0xff, 0x0a]));
    expect([code, stdout]).toEqual([
      1,
      '0 created, 0 changed, 0 unchanged, 1 refused\nline 1: the line is not UTF-8\n',
    ]);
  });

  test('a dry run says what would happen and changes nothing', async () => {
    const story = { type: 'story', publicId: 's', title: 'Story' };
    const { code, stdout } = await importText(
      [story, itemLine('a', { story: 's' }), itemLine('b', { story: 'none' })],
      '--dry-run',
    );
    expect(code).toBe(1);
    expect(stdout).toBe(
      'Nothing was written. 2 created, 0 changed, 0 unchanged, 1 refused\nline 3: story: story none does not exist\n',
    );
    expect(await row('a')).toBeUndefined();
    expect(await feed.db.selectFrom('news.story').selectAll().execute()).toEqual([]);
  });

  test('a file of thousands of lines, with an item in it twice', async () => {
    const folder = await temporaryHome();
    const file = join(folder, 'items.jsonl');
    const lines = Array.from({ length: 2500 }, (_, index) => itemLine(`item-${index}`));
    lines.splice(1700, 0, itemLine('item-3', { title: 'Again' }));
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const { code, stdout } = await run(['import', file]);
    await rm(folder, { recursive: true });
    expect([code, stdout]).toEqual([0, '2500 created, 1 changed, 0 unchanged, 0 refused\n']);
    expect((await row('item-3'))?.title).toBe('Again');
  });

  test('stories may point to each other, whatever their order', async () => {
    const report = await importHere([
      { type: 'story', publicId: 'a', title: 'A', storyline: [{ publicId: 'b', relation: 'before' }] },
      {
        type: 'story',
        publicId: 'b',
        title: 'B',
        related: [{ publicId: 'a', relation: 'after' }],
        digest: 'D',
        status: 'settled',
      },
      { type: 'story', publicId: 'c', title: 'C', related: [{ publicId: 'z', relation: 'none' }] },
    ]);
    expect(report).toBe('2 created, 0 changed, 0 unchanged, 1 refused\nline 3: related: no such story: z');
    const references = await feed.db
      .selectFrom('news.story_reference')
      .select(['story', 'neighbor'])
      .execute();
    expect(references).toEqual([
      { story: 'a', neighbor: 'b' },
      { story: 'b', neighbor: 'a' },
    ]);
  });

  test('a refused story leaves nothing behind, and neither do the lines that need it', async () => {
    const report = await importHere([
      { type: 'story', publicId: 'known', title: 'Known' },
      { type: 'story', publicId: 'a', title: 'A', related: [{ publicId: 'z', relation: 'none' }] },
      itemLine('of-a', { story: 'a' }),
      itemLine('alone'),
      { type: 'story', publicId: 'b', title: 'B', related: [{ publicId: 'a', relation: 'near' }] },
      { type: 'merge', from: 'a', into: 'known' },
      { type: 'withdraw', id: 'of-a' },
      { type: 'story', publicId: 'self', title: 'S', storyline: [{ publicId: 'self', relation: 'same' }] },
      { type: 'story', publicId: 'known', title: 'Not this', related: [{ publicId: 'y', relation: 'none' }] },
    ]);
    expect(report.split('\n')).toEqual([
      '2 created, 0 changed, 0 unchanged, 7 refused',
      'line 2: related: no such story: z',
      'line 3: story: story a does not exist',
      'line 5: related: no such story: a',
      'line 6: story a does not exist',
      'line 7: item of-a does not exist',
      'line 8: storyline: a story cannot point to itself',
      'line 9: related: no such story: y',
    ]);
    const stories = await feed.db.selectFrom('news.story').select(['public_id', 'title']).execute();
    expect(stories).toEqual([{ public_id: 'known', title: 'Known' }]);
    expect(await row('of-a')).toBeUndefined();
  });

  test('lines that name a waiting story keep their order', async () => {
    const report = await importHere([
      { type: 'story', publicId: 'a', title: 'A', related: [{ publicId: 'b', relation: 'r' }] },
      itemLine('i', { story: 'a' }),
      { type: 'withdraw', id: 'i' },
      { type: 'story', publicId: 'b', title: 'B', related: [{ publicId: 'c', relation: 'r' }] },
      { type: 'story', publicId: 'a', title: 'A2' },
      itemLine('i', { story: 'b', title: 'Again' }),
      { type: 'story', publicId: 'c', title: 'C', related: [{ publicId: 'a', relation: 'r' }] },
      { type: 'merge', from: 'c', into: 'a' },
    ]);
    expect(report).toBe('4 created, 4 changed, 0 unchanged, 0 refused');
    expect(await row('i')).toMatchObject({ title: 'Again', story: 'b', withdrawn_at: expect.any(Date) });
    const stories = await feed.db
      .selectFrom('news.story')
      .select(['public_id', 'title', 'merged_into'])
      .orderBy('public_id')
      .execute();
    expect(stories).toEqual([
      { public_id: 'a', title: 'A2', merged_into: null },
      { public_id: 'b', title: 'B', merged_into: null },
      { public_id: 'c', title: 'C', merged_into: 'a' },
    ]);
  });

  test('importing a file again changes nothing, whatever is in it', async () => {
    const lines = [
      ...sampleLines(readVocabulary({}), new Date('2026-11-20T00:00:00Z')),
      itemLine('gone', { selected: true }),
      { type: 'withdraw', id: 'gone' },
      { type: 'merge', from: 'lantern-2-preview', into: 'lantern-2-release' },
      {
        type: 'reset-event',
        event: resetEvent('kept', [
          {
            id: 'p1',
            publishedAt: '2026-11-20T00:00:00Z',
            stage: 's',
            text: 't',
            originalText: 'o',
            url: 'https://a.example/',
          },
        ]),
      },
      { type: 'reset-event', event: resetEvent('taken', []) },
      {
        type: 'reset-activity',
        activity: {
          id: 'w',
          publishedAt: '2026-11-20T00:00:00Z',
          eventIds: ['taken'],
          kind: 'event_update',
          text: null,
          originalText: 'not so',
          context: [],
          statusChanged: true,
          action: 'withdraw',
          url: 'https://a.example/w',
        },
      },
    ];
    const first = await importText(lines);
    expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/ 0 refused\n$/)]);
    const state = async () => {
      const tables = ['item', 'story', 'story_reference', 'reset_event', 'reset_post', 'reset_activity'];
      const rows = tables.map(
        (table) => `(select json_agg(t order by t::text) from news.${table} t) as ${table}`,
      );
      return (await feed.database.pool.query(`select ${rows.join(', ')}`)).rows;
    };
    const before = await state();
    const again = await importText(lines);
    expect([again.code, again.stdout]).toEqual([
      0,
      `0 created, 0 changed, ${lines.length} unchanged, 0 refused\n`,
    ]);
    expect(await state()).toEqual(before);
  });

  test('a piped line is visible while the pipe is still open, and goes by the categories of now', async () => {
    const child = spawn(process.execPath, ['services/news-feed/src/cli.ts', 'import', '-'], {
      env: { ...process.env, DATABASE_URL: feed.database.url },
    });
    const ended = once(child, 'close');
    const { settings } = readVocabulary({});
    for (const category of ['product', 'trams']) {
      await settings.change(feed.db, { categories: [{ name: category, label: 'A label', words: [] }] });
      child.stdin.write(`${JSON.stringify(itemLine(category, { category }))}\n`);
      await until(`the item of ${category} is there`, () => row(category));
    }
    await settings.change(feed.db, { categories: null });
    expect(child.exitCode).toBeNull();
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  });

  test('a withdrawn item stays withdrawn when it is imported again', async () => {
    await importHere([itemLine('a', { selected: true }), { type: 'withdraw', id: 'a' }]);
    await importHere([itemLine('a', { title: 'Back?' })]);
    expect(await row('a')).toMatchObject({
      title: 'Back?',
      in_selected_set: false,
      withdrawn_at: expect.any(Date),
    });
  });

  test('two imports of the same items at once leave each item once', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => itemLine(`i${index}`, { id: undefined }));
    const reversed = lines.toReversed();
    const reports = await Promise.all([importHere(lines), importHere(reversed), importHere(lines)]);
    for (const report of reports) expect(report).toMatch(/ 0 refused$/);
    const { rows } = await feed.database.pool.query('select count(*)::int as n from news.item');
    expect(rows).toEqual([{ n: 500 }]);
  });

  test('the loser of a race for a new item finds it', async () => {
    const line = importLineReader(readVocabulary({}))(JSON.stringify(itemLine('new', { id: undefined })));
    if (line.type !== 'item') throw new Error('the line is not an item');
    const winner = await feed.database.pool.connect();
    try {
      await winner.query('begin');
      await winner.query(
        `insert into news.item (id, title, source_name, original_url, canonical_url, published_at)
         values ('winner', 'Other', 'Source', 'https://source.example/new', 'source.example/new', now())`,
      );
      const losing = transactWithRetries(feed.db, (tx) => upsertItems(tx, [line], new Date()));
      await untilWaiting('transactionid');
      await winner.query('commit');
      expect(await losing).toEqual(['changed']);
    } finally {
      winner.release();
    }
    expect(await row('winner')).toMatchObject({ title: 'Title of new' });
  });

  test('--schema prints a JSON Schema, without a database', async () => {
    const { code, stdout } = await newsroom('', ['import', '--schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  });

  test.each([
    [['import', '/no/such/file'], /^the file \/no\/such\/file does not exist$/],
    [['import', '/tmp'], /^\/tmp is a directory; give the path of a file$/],
    [['import'], /a file is required/],
  ])('%j ends with one line', async (args, message) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('item', () => {
  beforeEach(() => importLines(feed.db, [itemLine('a', FULL)]));

  test('edit changes what it names, and an empty text removes', async () => {
    const { code } = await run([
      'item',
      'edit',
      'a',
      '--title',
      'Edited',
      '--summary',
      '',
      '--directions',
      'domestic',
      '--image',
      '',
      '--language',
      'pt-br',
    ]);
    expect(code).toBe(0);
    expect(await row('a')).toMatchObject({
      title: 'Edited',
      summary: null,
      directions: ['domestic'],
      score: 77,
      image: null,
      language: 'pt-BR',
    });
  });

  test('select, deselect, withdraw and restore', async () => {
    await run(['item', 'deselect', 'a']);
    expect(await row('a')).toMatchObject({ selected: false, reason: 'Because' });
    await run(['item', 'select', 'a', '--reason', 'Still']);
    expect(await row('a')).toMatchObject({ in_selected_set: true, reason: 'Still' });
    await run(['item', 'withdraw', 'a']);
    expect(await row('a')).toMatchObject({ in_selected_set: false, selected: true });
    await run(['item', 'restore', 'a']);
    expect(await row('a')).toMatchObject({ in_selected_set: true });
  });

  test.each([
    [['item', 'edit', 'a'], 'nothing to change: see `newsroom item edit --help`'],
    [['item', 'edit', 'a', '--category', 'sports'], /^category: must be one of technology, /],
    [['item', 'edit', 'a', '--title', ''], 'title: must not be empty'],
    [['item', 'edit', 'a', '--story', 'none'], 'story none does not exist'],
    [['item', 'edit', 'a', '--score', 'high'], 'Expected a number from 0 to 100.'],
    [['item', 'edit', 'a', '--score', '100.5'], 'Expected a number from 0 to 100.'],
    [['item', 'select', 'none'], 'item none does not exist'],
    [['item', 'withdraw', 'none'], 'item none does not exist'],
  ])('%j is refused: %s', async (args, message) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(message);
  });
});

describe('story', () => {
  beforeEach(() =>
    importLines(feed.db, [
      ...['a', 'b', 'c'].map((publicId) => ({ type: 'story', publicId, title: publicId })),
      ...['a', 'b', 'c'].map((story) => itemLine(`of-${story}`, { story })),
    ]),
  );

  test('merge moves the reports to the last survivor', async () => {
    expect((await run(['story', 'merge', 'b', 'c'])).code).toBe(0);
    expect((await run(['story', 'merge', 'a', 'b'])).code).toBe(0);
    const rows = await feed.db.selectFrom('news.item').select('story').execute();
    expect(rows).toEqual([{ story: 'c' }, { story: 'c' }, { story: 'c' }]);
    await importLines(feed.db, [itemLine('late', { story: 'a' })]);
    expect((await row('late'))?.story).toBe('c');
  });

  test('a merge that would form a cycle, or is repeated, is refused', async () => {
    await run(['story', 'merge', 'a', 'b']);
    const circle = await run(['story', 'merge', 'b', 'a']);
    expect([circle.code, circle.stderr]).toEqual([
      1,
      'story a has become b: merging them again would form a cycle\n',
    ]);
    const twice = await run(['story', 'merge', 'a', 'c']);
    expect([twice.code, twice.stderr]).toEqual([1, 'story a has already been merged into b\n']);
  });

  test('an import that runs while its story is merged does not lose a report', async () => {
    const client = await feed.database.pool.connect();
    try {
      await client.query('begin');
      await client.query("select from news.story where public_id = 'a' for share");
      await client.query("update news.item set story = 'a' where id = 'of-c'");
      const merging = run(['story', 'merge', 'a', 'b']);
      await untilWaiting('transactionid');
      await client.query('commit');
      expect((await merging).code).toBe(0);
    } finally {
      client.release();
    }
    expect((await row('of-c'))?.story).toBe('b');
  });

  test('digest takes the text from standard input, and an empty one removes it', async () => {
    expect((await run(['story', 'digest', 'a'], '  What is known.\n')).code).toBe(0);
    const read = () =>
      feed.db
        .selectFrom('news.story')
        .select(['digest', 'digest_updated_at'])
        .where('public_id', '=', 'a')
        .executeTakeFirstOrThrow();
    const first = await read();
    expect(first).toEqual({ digest: 'What is known.', digest_updated_at: expect.any(Date) });
    await run(['story', 'digest', 'a'], 'What is known.');
    expect(await read()).toEqual(first);
    await run(['story', 'digest', 'a'], '');
    expect(await read()).toEqual({ digest: null, digest_updated_at: null });
    expect((await run(['story', 'digest', 'none'], 'x')).stderr).toBe('story none does not exist\n');
  });
});

describe('rank and daily', () => {
  test('a ranking can be explained', async () => {
    const now = new Date().toISOString();
    expect((await run(['rank', '--explain'])).stdout).toMatch('There is no ranking yet');
    await importLines(feed.db, [
      { type: 'story', publicId: 's', title: 'S' },
      itemLine('one', {
        story: 's',
        discoveredAt: now,
        publishedAt: now,
        source: { name: 'A', firstParty: true },
      }),
      itemLine('two', { story: 's', discoveredAt: now, publishedAt: now, source: { name: 'B' } }),
      itemLine('alone', { discoveredAt: now, publishedAt: now, directions: ['domestic'] }),
    ]);
    expect((await run(['rank'])).stdout).toBe('Ranked 2 topics.\n');
    const { stdout } = await run(['rank', '--explain']);
    expect(stdout).toMatch(
      /1\. Title of one \[s\]\n {3}heat 3\.29\d+ = coverage 2\.49\d+ \+ signals 0\.79\d+ of 2 reports/,
    );
    expect(stdout).toMatch(/1\.49\d+ {2}A, first party, 0/);
    expect(stdout).toMatch(/2\. Title of alone \[alone\]/);
    expect((await run(['rank', '--explain', '--direction', 'domestic'])).stdout).toMatch(
      /1\. Title of alone/,
    );
  });

  test('a report is published once', async () => {
    await importLines(feed.db, [
      itemLine('a', {
        selected: true,
        publishedAt: '2026-11-18T00:00:00Z',
        discoveredAt: '2026-11-18T01:00:00Z',
      }),
    ]);
    expect((await run(['daily', '--date', '2026-11-19'])).stdout).toBe('2026-11-19: published\n');
    expect((await run(['daily', '--date', '2026-11-19'])).stdout).toBe(
      '2026-11-19: already published; nothing was changed\n',
    );
    expect((await run(['daily', '--date', '2026-11-10'])).stdout).toMatch('no selected item');
    expect((await run(['daily', '--date', '2999-01-01'])).stderr).toBe(
      'the daily report for 2999-01-01 can be published from 2999-01-01T00:00:00.000Z on\n',
    );
    expect((await run(['daily', '--date', '2026-02-30'])).stderr).toMatch('Expected a date');
  });
});

test.each([
  [
    ['rank', '--direction', 'domestic'],
    '--direction needs --explain; a ranking always covers every direction\n',
  ],
  [['rank', '--explain', '--direction', 'up'], '--direction must be one of domestic, overseas\n'],
  [['story', 'digest', 'a', '--file', '/no/such'], 'the file /no/such does not exist\n'],
  [['story', 'digest', 'a', '--file', '/tmp'], '/tmp is a directory; give the path of a file\n'],
])('%j is refused: %s', async (args, message) => {
  const { code, stderr } = await run(args);
  expect([code, stderr]).toEqual([1, message]);
});

describe('ledger', () => {
  test('status counts, and a new epoch makes old cursors useless', async () => {
    await importLines(feed.db, [itemLine('a', { selected: true })]);
    const { body } = await send(`${feed.url}/api/v1/selected/snapshot`);
    const { stdout } = await run(['ledger', 'status']);
    expect(stdout).toMatch(/^epoch {6}[0-9a-f-]{36}\nhead .*\nin the set 1\n/);
    const { stdout: after } = await run(['ledger', 'new-epoch']);
    expect(after).toMatch(/^epoch [0-9a-f-]{36}\n$/);
    expect(after.slice(6, 42)).not.toBe(stdout.slice(11, 47));
    const changes = `${feed.url}/api/v1/selected/changes?cursor=${body.cursor}`;
    const refused = await until('the service hears of it', async () => {
      const answer = await send(changes);
      return answer.status === 409 ? answer : undefined;
    });
    expect(refused.body.code).toBe('snapshot_required');
  });
});
