import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type JsonValue, send } from '../../support/http.ts';
import { itemRow, type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { until } from '../../support/until.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The current time of the services. */
let now = NOW;
/** Without a cache, so that a test sees what it has just written. */
let feed: NewsFeedFixture;

beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' }, () => now);
});

afterAll(() => feed.close());

beforeEach(async () => {
  now = NOW;
  await feed.db.deleteFrom('news.item').execute();
});

/** A time so many ms before now. */
function ago(ms: number): Date {
  return new Date(NOW.getTime() - ms);
}

/** Inserts items that were published and received `age` ms ago, unless `values` say otherwise. */
function insert(...items: [name: string, age: number, values?: Parameters<typeof itemRow>[1]][]) {
  const rows = items.map(([name, age, values]) =>
    itemRow(name, {
      id: name,
      published_at: ago(age),
      discovered_at: ago(age),
      selected: true,
      ...values,
    }),
  );
  return feed.db.insertInto('news.item').values(rows).execute();
}

function get(
  query: Record<string, string> | string = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
  return send(`${feed.url}/api/v1/items?${text}`, { headers });
}

/** The ids of a page. */
async function ids(query: Record<string, string> = {}): Promise<string> {
  const { status, body, text } = await get(query);
  expect(status, text).toBe(200);
  return body.items.map(({ id }: JsonValue) => id).join(' ');
}

describe('an answer', () => {
  test('has every member, and says what was asked', async () => {
    await insert([
      'a',
      HOUR,
      {
        original_title: '原标题',
        summary: 'Summary',
        category: 'research',
        score: 81.5,
        reason: 'Because',
        directions: ['domestic', 'overseas'],
      },
    ]);
    const { body, headers } = await get();
    expect(body).toEqual({
      schemaVersion: 1,
      query: {
        mode: 'selected',
        category: null,
        window: '7d',
        q: null,
        by: 'timeline',
        direction: null,
        ordering: 'timelineDesc',
      },
      items: [
        {
          id: 'a',
          title: 'Title of a',
          originalTitle: '原标题',
          summary: 'Summary',
          source: { name: 'Source' },
          links: { site: 'https://news.example/items/a', original: 'https://source.example/a' },
          publishedAt: '2026-11-20T11:00:00.000Z',
          discoveredAt: '2026-11-20T11:00:00.000Z',
          category: 'research',
          score: 81.5,
          selected: true,
          directions: ['domestic', 'overseas'],
          attribution: { name: 'Pressroom', url: 'https://news.example' },
          reason: 'Because',
        },
      ],
      page: { count: 1, hasMore: false, nextCursor: null },
    });
    expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=60, stale-while-revalidate=300');
    const { query } = (
      await get({
        mode: 'all',
        category: 'event',
        window: '24h',
        q: ' a b ',
        by: 'published',
        direction: 'overseas',
      })
    ).body;
    expect(query).toEqual({
      mode: 'all',
      category: 'event',
      window: '24h',
      q: 'a b',
      by: 'published',
      direction: 'overseas',
      ordering: 'publishedAtDesc',
    });
  });

  test('uses the link name of the deployment', async () => {
    await insert(['a%2Fb', HOUR]);
    const other = await startNewsFeed(
      feed.database.url,
      { SITE_LINK_NAME: 'acme', SITE_URL: 'https://acme.example/news/' },
      () => now,
    );
    const { body } = await send(`${other.url}/api/v1/items`);
    await other.close();
    expect(body.items[0].links).toEqual({
      acme: 'https://acme.example/news/items/a%252Fb',
      original: 'https://source.example/a%252Fb',
    });
  });

  test('leads to the pages of the site where its paths are', async () => {
    await insert(['a%2Fb$&', HOUR]);
    const other = await startNewsFeed(
      feed.database.url,
      { SITE_URL: 'https://acme.example/news', SITE_ITEM_PATH: '/read/{id}.html' },
      () => now,
    );
    const { body } = await send(`${other.url}/api/v1/items`);
    await other.close();
    expect(body.items[0].links.site).toBe('https://acme.example/news/read/a%252Fb%24%26.html');
  });

  test('is not sent again to a client that has it', async () => {
    await insert(['a', HOUR]);
    const first = await get();
    const tag = first.headers.get('etag') ?? '';
    const again = await get({}, { 'if-none-match': `"x", W/${tag}` });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
    await insert(['b', 2 * HOUR]);
    expect((await get({}, { 'if-none-match': tag })).status).toBe(200);
  });
});

describe('time', () => {
  const late = 72 * HOUR;

  test('an item found more than 72 hours after its publication keeps the publication time', async () => {
    await insert(
      ['on-time', 0, { discovered_at: ago(HOUR), published_at: ago(HOUR + late) }],
      ['late', 0, { discovered_at: ago(HOUR), published_at: ago(HOUR + late + 1) }],
      ['between', 2 * DAY],
    );
    expect(await ids()).toBe('on-time between late');
    expect(await ids({ by: 'published' })).toBe('between on-time late');
  });

  test.each([
    ['24h', DAY],
    ['7d', 7 * DAY],
  ])('the window of %s ends to the millisecond', async (window, length) => {
    await insert(['in', length - 1], ['out', length], ['now', 0]);
    for (const by of ['timeline', 'published']) expect(await ids({ window, by })).toBe('now in');
    now = new Date(NOW.getTime() + 1);
    expect(await ids({ window })).toBe('now');
  });

  test('an item dated in the future appears when its time comes', async () => {
    await insert(['tomorrow', 0, { published_at: ago(-DAY), discovered_at: ago(HOUR) }]);
    expect(await ids()).toBe('tomorrow');
    expect(await ids({ by: 'published' })).toBe('');
    now = ago(-DAY);
    expect(await ids({ by: 'published' })).toBe('tomorrow');
  });

  test('items of one millisecond are ordered by their ids', async () => {
    await insert(['b', HOUR], ['c', HOUR], ['a', HOUR]);
    expect(await ids()).toBe('c b a');
  });
});

describe('filters', () => {
  beforeEach(() =>
    insert(
      ['plain', HOUR],
      ['aside', 2 * HOUR, { selected: false, category: 'event', directions: ['domestic'] }],
      ['both', 3 * HOUR, { category: 'event', directions: ['overseas', 'domestic'], language: 'zh-Hant' }],
      ['gone', 4 * HOUR, { category: 'event', directions: ['domestic'], withdrawn_at: NOW }],
      ['old', 30 * HOUR, { category: 'event', directions: ['overseas'], source_name: 'Herald’s' }],
    ),
  );

  test.each([
    [{}, 'plain both old'],
    [{ mode: 'all' }, 'plain aside both old'],
    [{ mode: 'all', category: 'event' }, 'aside both old'],
    [{ mode: 'all', category: 'patent' }, ''],
    [{ mode: 'all', direction: 'domestic' }, 'aside both'],
    [{ mode: 'all', direction: 'overseas' }, 'both old'],
    [{ direction: 'domestic' }, 'both'],
    [{ mode: 'all', category: 'event', direction: 'overseas', window: '24h', q: 'title both' }, 'both'],
    [{ source: 'Herald’s' }, 'old'],
    [{ source: 'Herald' }, ''],
    [{ mode: 'all', source: 'Source', category: 'event', q: 'title' }, 'aside both'],
    [{ language: 'zh' }, 'both'],
    [{ language: 'zh-hant' }, 'both'],
    [{ language: 'en' }, ''],
  ])('%j', async (query, expected) => expect(await ids(query)).toBe(expected));

  test('a story has the items of the last one that it has become, while stories are shown', async () => {
    const { db } = feed;
    for (const public_id of ['first', 'last', 'empty']) {
      await db
        .insertInto('news.story')
        .values({ public_id, title: `Story ${public_id}` })
        .execute();
    }
    await db
      .updateTable('news.item')
      .set({ story: 'last' })
      .where('id', 'in', ['aside', 'old', 'gone'])
      .execute();
    await db
      .updateTable('news.story')
      .set({ merged_into: 'last' })
      .where('public_id', '=', 'first')
      .execute();
    for (const story of ['last', 'first']) {
      expect(await ids({ story, mode: 'all' })).toBe('aside old');
      expect(await ids({ story, mode: 'all', limit: '1' })).toBe('aside');
    }
    expect(await ids({ story: 'last', category: 'event', source: 'Herald’s' })).toBe('old');
    for (const story of ['empty', 'unknown']) expect(await ids({ story })).toBe('');
    const other = await startNewsFeed(feed.database.url, { NEWS_STORIES: 'off' }, () => now);
    const { body } = await send(`${other.url}/api/v1/items?story=last`).finally(other.close);
    expect(body).toMatchObject({ query: { story: 'last' }, items: [] });
    await db.deleteFrom('news.story').execute();
  });

  test('an answer says which were given, and is otherwise as ever', async () => {
    const { query } = (await get({ source: 'Source', language: 'ZH-hant', story: 'some' })).body;
    expect(query).toMatchObject({ category: null, source: 'Source', language: 'zh-Hant', story: 'some' });
  });
});

describe('search', () => {
  beforeEach(() =>
    insert(
      ['percent', HOUR, { title: '100% cotton', summary: 'snake_case and C:\\path' }],
      ['chinese', 2 * HOUR, { title: 'Model', original_title: '大模型发布会', summary: 'ＡＩ 发布' }],
      ['german', 3 * HOUR, { title: 'STRAẞE und Größe' }],
      ['greek', 4 * HOUR, { title: 'ΟΔΥΣΣΕΥΣ' }],
      ['emoji', 5 * HOUR, { title: 'Launch 🚀🚀 day', summary: '𠮷野家' }],
      ['plain', 6 * HOUR, { title: '1000 cotton threads', summary: 'snakeXcase' }],
    ),
  );

  test.each([
    ['cotton', 'percent plain'],
    ['COTTON 100%', 'percent'],
    ['0%', 'percent'],
    ['e_c', 'percent'],
    [':\\p', 'percent'],
    ['\\\\', ''],
    ['%%', ''],
    ['模型', 'chinese'],
    ['发布\u3000大模型', 'chinese'],
    ['ai 发布', 'chinese'],
    ['strasse', 'german'],
    ['GRÖSSE', 'german'],
    ['οδυσσευς', 'greek'],
    ['🚀🚀', 'emoji'],
    ['𠮷野', 'emoji'],
    ['cotton snake', 'percent plain'],
    ['cotton model', ''],
  ])('%j finds %j', async (q, expected) => expect(await ids({ q })).toBe(expected));

  test.each([
    ['a', 400],
    [' a ', 400],
    ['  ', 400],
    ['ab', 200],
    [' ab ', 200],
    ['🚀', 400],
    ['🚀🚀', 200],
    ['x'.repeat(200), 200],
    [` ${'𠮷'.repeat(200)} `, 200],
    ['x'.repeat(201), 400],
    ['𠮷'.repeat(201), 400],
    ['a\u0000b', 400],
  ])('%j is answered %d', async (q, status) => {
    const answer = await get({ q });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body).toMatchObject({ code: 'invalid_request', detail: /"q"/ });
  });

  test('searches beyond the limit get 503, and so do endless ones', async () => {
    const settings = { CACHE_BYTES: '0', NEWS_SEARCH_CONCURRENCY: '1' };
    const patient = await startNewsFeed(feed.database.url, settings, () => now);
    const hasty = await startNewsFeed(
      feed.database.url,
      { ...settings, DATABASE_STATEMENT_TIMEOUT_MS: '500' },
      () => now,
    );
    const blocker = await feed.database.pool.connect();
    try {
      await blocker.query('begin; lock table news.item in access exclusive mode');
      const waiting = send(`${patient.url}/api/v1/items?q=cotton`);
      await until('the search waits', async () => {
        const { rows } = await feed.database.pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length > 0;
      });
      const refused = await send(`${patient.url}/api/v1/items?q=threads`);
      expect([refused.status, refused.body.code]).toEqual([503, 'temporarily_unavailable']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const endless = await send(`${hasty.url}/api/v1/items?q=cotton`);
      expect([endless.status, endless.body.code]).toEqual([503, 'temporarily_unavailable']);
      await blocker.query('commit');
      expect((await waiting).body.page.count).toBe(2);
      expect((await send(`${patient.url}/api/v1/items?q=threads`)).status).toBe(200);
    } finally {
      await blocker.query('rollback');
      blocker.release();
      await Promise.all([patient.close(), hasty.close()]);
    }
  });
});

describe('cursors', () => {
  test('pages neither repeat nor skip an existing item, whatever arrives in between', async () => {
    const there = Array.from({ length: 40 }, (_, index) => `item-${String(index).padStart(2, '0')}`);
    // Many of one millisecond, so that pages end between equals.
    await insert(
      ...there.map((name, index): [string, number] => [name, HOUR + Math.floor(index / 7) * HOUR]),
    );
    const seen: string[] = [];
    let arrivals = 0;
    for (let cursor: string | undefined; ; ) {
      const { body } = await get({ limit: '3', ...(cursor && { cursor }) });
      seen.push(...body.items.map(({ id }: JsonValue) => id));
      if (!body.page.hasMore) break;
      cursor = body.page.nextCursor;
      arrivals += 1;
      // On top, at the anchor's own time, and far below.
      await insert(
        [`new-${arrivals}`, HOUR / (arrivals + 1)],
        [`equal-${arrivals}`, NOW.getTime() - new Date(body.items.at(-1).discoveredAt).getTime()],
        [`deep-${arrivals}`, 5 * DAY + arrivals],
      );
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => id.startsWith('item-')).sort()).toEqual(there);
  });

  test('the last page does not have a cursor, even if it is exactly full', async () => {
    await insert(['a', HOUR], ['b', 2 * HOUR], ['c', 3 * HOUR]);
    const first = (await get({ limit: '2' })).body.page;
    expect(first).toEqual({ count: 2, hasMore: true, nextCursor: expect.any(String) });
    expect((await get({ limit: '1', cursor: first.nextCursor })).body.page).toEqual({
      count: 1,
      hasMore: false,
      nextCursor: null,
    });
    expect((await get({ limit: '3' })).body.page.nextCursor).toBeNull();
  });

  test('a cursor still works when its item is gone', async () => {
    await insert(['a', HOUR], ['b', 2 * HOUR], ['c', 3 * HOUR]);
    const { nextCursor } = (await get({ limit: '2' })).body.page;
    await feed.db.deleteFrom('news.item').where('id', '=', 'b').execute();
    expect(await ids({ cursor: nextCursor })).toBe('c');
  });

  test.each([
    [{ mode: 'all' }],
    [{ category: 'event' }],
    [{ window: '24h' }],
    [{ by: 'published' }],
    [{ q: 'title' }],
    [{ direction: 'domestic' }],
    [{ source: 'Source' }],
    [{ language: 'pt' }],
  ])('a cursor of the query without %j is refused with it, and the reverse', async (change) => {
    const values = { category: 'event', directions: ['domestic'], language: 'pt-BR' };
    await insert(['a', HOUR, values], ['b', 2 * HOUR, values]);
    const { nextCursor: plain } = (await get({ limit: '1' })).body.page;
    const { nextCursor: changed } = (await get({ limit: '1', ...change })).body.page;
    for (const query of [{ ...change, cursor: plain }, { cursor: changed }]) {
      const { status, body } = await get(query);
      expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    }
    expect(await ids({ ...change, cursor: changed })).toBe('b');
  });

  test('a cursor lives as long as its anchor is in the window', async () => {
    await insert(['a', HOUR], ['b', 2 * HOUR]);
    const { nextCursor: cursor } = (await get({ limit: '1', window: '24h' })).body.page;
    now = new Date(ago(HOUR).getTime() + DAY - 1);
    expect((await get({ cursor, window: '24h' })).status).toBe(200);
    now = new Date(now.getTime() + 1);
    const { status, body, headers } = await get({ cursor, window: '24h' });
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    expect(headers.get('content-type')).toMatch('application/problem+json');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test.each(['', 'x', '%F0%9F%9A%80', Buffer.from('[1,2,3]').toString('base64url'), 'A'.repeat(5000)])(
    'the cursor %j is refused',
    async (cursor) => {
      const { status, body } = await get(`cursor=${cursor}`);
      expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    },
  );

  test('a cursor with a changed character is refused', async () => {
    await insert(['a', HOUR], ['b', 2 * HOUR]);
    const { nextCursor: cursor } = (await get({ limit: '1' })).body.page;
    for (const changed of [`${cursor}=`, `${cursor}A`, cursor.slice(0, -1), ` ${cursor}`]) {
      expect((await get({ cursor: changed })).body.code, changed).toBe('invalid_cursor');
    }
  });
});

describe('parameters', () => {
  test.each([
    ['mode=best', 'mode'],
    ['category=sports', 'category'],
    ['window=30d', 'window'],
    ['by=score', 'by'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['direction=up', 'direction'],
    ['direction=domestic&direction=overseas', 'direction'],
    ['q=ab&q=cd', 'q'],
    ['cursor=a&cursor=b', 'cursor'],
    ['page=2', 'page'],
    ['utm_source=x', 'utm_source'],
    ['source=', 'source'],
    ['source=a%00b', 'source'],
    ['source=a&source=b', 'source'],
    ['language=english', 'language'],
    ['story=a/b', 'story'],
    [`story=${'x'.repeat(129)}`, 'story'],
  ])('%s is 400 and named', async (query, name) => {
    const { status, body } = await get(query);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain(`"${name}"`);
  });

  test('limit is 50 by default and at most 100', async () => {
    await insert(...Array.from({ length: 101 }, (_, index): [string, number] => [`i${index}`, HOUR + index]));
    expect((await get()).body.page.count).toBe(50);
    expect((await get({ limit: '100' })).body.page).toMatchObject({ count: 100, hasMore: true });
    expect((await get({ limit: '1' })).body.page.count).toBe(1);
  });
});

describe('a cached answer', () => {
  test('is served without the database until it has to change', async () => {
    const cached = await startNewsFeed(feed.database.url, { DATABASE_STATEMENT_TIMEOUT_MS: '50' }, () => now);
    const url = `${cached.url}/api/v1/items?window=24h`;
    // While the table is locked, only what is kept can be an answer; a busy machine may distrust that for a
    // moment.
    const read = () =>
      until('an answer', async () => {
        const { status, body } = await send(url);
        return status === 200 && body.items.map(({ id }: JsonValue) => id).join(' ');
      });
    const blocker = await feed.database.pool.connect();
    try {
      await insert(['new', HOUR], ['leaving', DAY - 3000]);
      await until('the answer is kept', async () => {
        await read();
        await blocker.query('begin; lock table news.item in access exclusive mode');
        if ((await send(url)).status === 200) return true;
        await blocker.query('rollback');
        return false;
      });
      for (let request = 0; request < 20; request += 1) expect(await read()).toBe('new leaving');
      await blocker.query('commit');
      now = new Date(NOW.getTime() + 2999);
      expect(await read()).toBe('new leaving');
      now = new Date(NOW.getTime() + 3000);
      expect(await read()).toBe('new');
    } finally {
      await blocker.query('rollback');
      blocker.release();
      await cached.close();
    }
  });

  test('is replaced after a write', async () => {
    const cached = await startNewsFeed(feed.database.url, {}, () => now);
    const count = async () => (await send(`${cached.url}/api/v1/items`)).body.page.count;
    await insert(['a', HOUR]);
    await until('the item is there', async () => (await count()) === 1);
    await feed.db.updateTable('news.item').set({ withdrawn_at: NOW }).execute();
    await until('the item is gone', async () => (await count()) === 0);
    await cached.close();
  });
});
