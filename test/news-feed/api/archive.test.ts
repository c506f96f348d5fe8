import { archiveLeftItems } from '@pressroom/news-feed/work/rank';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonValue, send } from '../../support/http.ts';
import { itemRow, type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

/** Items of three years, five hours apart, of which the newest are in the windows. */
const ITEMS = 5000;

/** Words of which the later ones are rarer: word n is in every 9^n-th item. */
const WORDS = ['everywhere', '常见词', 'seldom', '罕见词语', 'once-only'];

let feed: NewsFeedFixture;
beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' }, () => NOW);
  await feed.database.pool.query(
    `insert into news.item (id, title, summary, source_name, original_url, canonical_url, published_at, discovered_at,
       category, selected, directions, withdrawn_at, language)
     select 'item-' || n, 'Title ' || n, (
         select string_agg(word, ' 与 ') from unnest($2::text[]) with ordinality as words (word, rarity)
         where n % (9 ^ (rarity - 1))::int = 0
       ), case when n % 400 = 3 then 'Rare Herald' else 'Daily ' || n % 3 end,
       'https://source.example/' || n, 'https://source.example/' || n,
       $3::timestamptz - n * interval '5 hours', $3::timestamptz - n * interval '5 hours',
       case when n % 900 = 1 then 'patent' else 'research' end, n % 3 = 0,
       case when n % 1500 = 2 then array['domestic', 'overseas'] else array['overseas'] end,
       case when n % 11 = 0 then $3::timestamptz end,
       case when n % 700 = 5 then 'zh-Hant-TW' when n % 9 = 4 then 'zh' when n % 5 > 0 then 'en' end
     from generate_series(1, $1::int) as n`,
    [ITEMS, WORDS, NOW],
  );
  await feed.database.pool.query('vacuum analyze');
});
afterAll(() => feed.close());

type Query = Partial<
  Record<'from' | 'to' | 'source' | 'category' | 'direction' | 'language' | 'selected' | 'q', string>
>;

/** The ids of all pages. */
async function ids(query: Query, limit = '100'): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const parameters = new URLSearchParams({ limit, ...query, ...(cursor && { cursor }) });
    const { status, body, text } = await send(`${feed.url}/api/v1/archive?${parameters}`);
    expect(status, text).toBe(200);
    for (const { id } of body.items) found.push(id);
    cursor = body.page.nextCursor;
  }
  return found;
}

/** The same by the plain definition: every item is looked at. */
async function expectedIds(query: Query): Promise<string[]> {
  const { from, to, source, category, direction, selected, q = '', language } = query;
  const { rows } = await feed.database.pool.query(
    `select id from news.item where published_at <= $8 and withdrawn_at is null
       and ($1::date is null or (published_at at time zone 'Asia/Shanghai')::date >= $1)
       and ($2::date is null or (published_at at time zone 'Asia/Shanghai')::date <= $2)
       and ($3::text is null or source_name = $3) and ($4::text is null or category = $4)
       and ($5::text is null or $5 = any(directions)) and ($6::text is null or selected)
       and (select bool_and(strpos(lower(summary), word) > 0) from unnest($7::text[]) as word) is not false
       and ($9::text is null or language ~ ('^' || $9 || '(-|$)'))
     order by published_at desc, id desc`,
    [
      from,
      to,
      source,
      category,
      direction,
      selected,
      q.split(' ').filter((word) => word !== ''),
      NOW,
      language,
    ],
  );
  return rows.map(({ id }) => id);
}

const query = fc.record(
  {
    from: fc.constantFrom('2025-01-31', '2026-02-28', '2026-11-19'),
    to: fc.constantFrom('2024-12-31', '2026-11-17', '2027-01-01'),
    source: fc.constantFrom('Rare Herald', 'Daily 1', 'Nobody'),
    selected: fc.constant('true'),
    category: fc.constantFrom('patent', 'research'),
    direction: fc.constantFrom('domestic', 'overseas'),
    language: fc.constantFrom('zh', 'zh-Hant', 'en', 'fr'),
    q: fc.subarray([...WORDS, '没有'], { minLength: 1, maxLength: 2 }).map((words) => words.join(' ')),
  },
  { requiredKeys: [] },
);

test('every query finds what its definition says, on all of its pages', async () => {
  await fc.assert(
    fc.asyncProperty(query, async (query) => {
      expect(await ids(query)).toEqual(await expectedIds(query));
    }),
    {
      numRuns: 40,
      examples: [
        [{ q: 'once-only' }],
        [{ direction: 'domestic' }],
        [{ language: 'zh-Hant' }],
        [{ source: 'Rare Herald', selected: 'true' }],
      ],
    },
  );
});

test('pages of one item are the same as pages of many', async () => {
  const query = { q: '罕见词语', direction: 'overseas' };
  expect(await ids(query, '1')).toEqual(await ids(query));
});

test('an item is found before and after it leaves the windows, and by what it has become', async () => {
  const { db } = feed;
  const row = { id: 'aging', title: 'Aging news', published_at: NOW, discovered_at: NOW };
  await db.insertInto('news.item').values(itemRow('aging', row)).execute();
  expect(await ids({ q: 'aging', direction: 'overseas' })).toEqual([]);
  expect(await ids({ q: 'aging' })).toEqual(['aging']);
  await feed.database.pool.query(
    `update news.item_terms set latest_at = '2026-11-11' where item_id = 'aging'`,
  );
  await archiveLeftItems(db);
  const archived = async () =>
    (
      await db
        .selectFrom('news.item_terms')
        .select('archived')
        .where('item_id', '=', 'aging')
        .executeTakeFirstOrThrow()
    ).archived;
  expect(await archived()).toBe(true);
  expect(await ids({ q: 'aging' })).toEqual(['aging']);
  await db
    .updateTable('news.item')
    .set({
      title: 'Renamed report',
      source_name: 'Evening Post',
      published_at: new Date('2025-02-03T00:00:00Z'),
    })
    .set({ discovered_at: new Date('2025-02-03T00:00:00Z') })
    .where('id', '=', 'aging')
    .execute();
  expect(await ids({ q: 'aging' })).toEqual([]);
  expect(await ids({ q: 'renamed', source: 'Evening Post', from: '2025-02-03', to: '2025-02-03' })).toEqual([
    'aging',
  ]);
  await db.updateTable('news.item').set({ withdrawn_at: NOW }).where('id', '=', 'aging').execute();
  expect(await ids({ q: 'renamed' })).toEqual([]);
  await db.deleteFrom('news.item').where('id', '=', 'aging').execute();
});

test('an answer has whole items, can be cached, and refuses what it cannot mean', async () => {
  const { body, headers } = await send(`${feed.url}/api/v1/archive?limit=1`);
  expect(body).toMatchObject({
    schemaVersion: 1,
    items: [{ id: 'item-1', reason: null }],
    page: { count: 1, hasMore: true },
  });
  expect(headers.get('cache-control')).toContain('s-maxage=60');
  const refusals = [
    'from=2026-02-30',
    'language=english',
    'to=yesterday',
    'selected=no',
    'q=ab',
    'source=',
    `limit=1&cursor=${body.page.nextCursor}&q=abc`,
  ];
  for (const refused of refusals) {
    expect((await send(`${feed.url}/api/v1/archive?${refused}`)).status, refused).toBe(400);
  }
});

test('sources have their names, rates and newest items, page by page', async () => {
  const names: string[] = [];
  let first: JsonValue;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await send(`${feed.url}/api/v1/sources?limit=3${cursor && `&cursor=${cursor}`}`);
    first ??= body.items[0];
    names.push(...body.items.map(({ name }: JsonValue) => name));
    cursor = body.page.nextCursor;
  }
  expect(names).toEqual(['Daily 0', 'Daily 1', 'Daily 2', 'Rare Herald']);
  // Every third of 33 items in seven days, without one of the herald and one that is withdrawn.
  expect(first).toEqual({ name: 'Daily 0', itemsPerDay: 1.29, latestAt: '2026-11-19T06:00:00.000Z' });
});

test('stories are listed by their newest public report, each once', async () => {
  const { db } = feed;
  for (const public_id of ['quake', 'vote', 'gone', 'joined']) {
    await db
      .insertInto('news.story')
      .values({ public_id, title: `About ${public_id}` })
      .execute();
  }
  await db.updateTable('news.story').set({ status: 'settled' }).where('public_id', '=', 'vote').execute();
  const assign = (story: string, ...ids: string[]) =>
    db.updateTable('news.item').set({ story }).where('id', 'in', ids).execute();
  await assign('quake', 'item-4', 'item-90', 'item-2000');
  await assign('vote', 'item-8', 'item-3');
  await assign('gone', 'item-11');
  const { body } = await send(`${feed.url}/api/v1/stories`);
  expect(body.items.map(({ publicId, reportCount }: JsonValue) => [publicId, reportCount])).toEqual([
    ['vote', 2],
    ['quake', 3],
  ]);
  expect(body.items[1]).toMatchObject({ latest: 'Title 4', latestAt: '2026-11-19T16:00:00.000Z' });
  const one = await send(`${feed.url}/api/v1/stories?limit=1`);
  expect(one.body.page.hasMore).toBe(true);
  const two = await send(`${feed.url}/api/v1/stories?limit=1&cursor=${one.body.page.nextCursor}`);
  expect([two.body.items[0].publicId, two.body.page.nextCursor]).toEqual(['quake', null]);
  expect((await send(`${feed.url}/api/v1/stories?status=settled`)).body.items).toMatchObject([
    { publicId: 'vote' },
  ]);
  expect((await send(`${feed.url}/api/v1/stories?status=active`)).body.items).toMatchObject([
    { publicId: 'quake' },
  ]);
});

test('stories are found by what one of their public reports has, however old', async () => {
  const { database } = feed;
  const stories = (query: string) => send(`${feed.url}/api/v1/stories?${query}`);
  const found = async (query: string) => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body, text } = await stories(`limit=100&${query}${cursor && `&cursor=${cursor}`}`);
      expect(status, text).toBe(200);
      for (const { publicId } of body.items) ids.push(publicId);
      cursor = body.page.nextCursor;
    }
    return ids;
  };
  // Two reports each, of which the older one is 13 weeks older.
  await database.pool.query(
    `insert into news.story (public_id, title, status)
     select 's' || n, 'Story ' || n, case when n % 50 = 0 then 'settled' else 'active' end from generate_series(1, 455) as n`,
  );
  await database.pool.query(
    `update news.item set story = 's' || ((n - 1) % 455 + 1) from generate_series(1, 910) as n where id = 'item-' || n`,
  );
  await database.pool.query('vacuum analyze');
  const expected = async (category: string | null, words: string[], status: string | null = null) => {
    const { rows } = await database.pool.query(
      `select public_id from news.story join lateral (
         select published_at, id from news.item where story = public_id and withdrawn_at is null
         order by published_at desc, id desc limit 1
       ) as newest on true
       where ($3::text is null or status = $3) and exists (
         select from news.item where story = public_id and withdrawn_at is null
           and ($1::text is null or category = $1)
           and (select bool_and(strpos(lower(summary), word) > 0) from unnest($2::text[]) as word) is not false
       ) order by newest.published_at desc, newest.id desc`,
      [category, words, status],
    );
    return rows.map(({ public_id }) => public_id);
  };
  for (const [query, category, words, status] of [
    ['q=罕见词语', null, ['罕见词语']],
    ['q=seldom+常见词', null, ['seldom', '常见词']],
    ['q=everywhere', null, ['everywhere']],
    ['q=nowhere', null, ['nowhere']],
    ['category=patent', 'patent', []],
    ['category=research&q=seldom', 'research', ['seldom']],
    ['category=patent&q=everywhere&status=active', 'patent', ['everywhere'], 'active'],
    ['category=research&status=settled', 'research', [], 'settled'],
  ] as const) {
    expect(await found(query), query).toEqual(await expected(category, [...words], status));
  }
  const { nextCursor } = (await stories('limit=1&category=research')).body.page;
  const again = await stories(`limit=1&category=research&cursor=${nextCursor}`);
  expect(again.body.items).toHaveLength(1);
  for (const other of ['', '&category=patent', '&category=research&q=seldom']) {
    const { status, body } = await stories(`limit=1&cursor=${nextCursor}${other}`);
    expect([status, body.code], other).toEqual([400, 'invalid_cursor']);
  }
  for (const refused of ['q=ab', 'q=a', 'category=none', 'direction=domestic', 'q=abc&q=abd']) {
    expect((await stories(refused)).status, refused).toBe(400);
  }
  const first = await stories('q=nowhere');
  const same = await send(`${feed.url}/api/v1/stories?q=nowhere`, {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  });
  expect([same.status, same.headers.get('cache-control')]).toEqual([304, first.headers.get('cache-control')]);
});

test('the fingerprint changes with the items, and with nothing else', async () => {
  const read = async () => (await send(`${feed.url}/api/public/fingerprint`)).body;
  const before = await read();
  await feed.db.updateTable('news.item').set({ score: 9 }).where('id', '=', 'item-2000').execute();
  expect(await read()).toEqual(before);
  await feed.db.updateTable('news.item').set({ score: 9 }).where('id', '=', 'item-2').execute();
  const after = await read();
  expect(after.items).not.toBe(before.items);
  expect(after.hotTopics).toBe(before.hotTopics);
});

test('/llms.txt says where a model finds the news', async () => {
  const { text, headers } = await send(`${feed.url}/llms.txt`);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text).toMatch(/^# .+\n\n> /);
  for (const [, path] of text.matchAll(/\]\(([^)]+)\)/g)) {
    expect((await send(`${feed.url}${path}`)).status, path).toBeLessThan(405);
  }
});
