import { startLedgerEpoch } from '@pressroom/common/ledger/commands';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, send } from '../../support/http.ts';
import {
  itemRow,
  type NewsFeedFixture,
  newsFeedFixture,
  SITE_URL,
  startNewsFeed,
} from '../../support/news-feed.ts';
import { selectedSet } from '../../support/selected-set.ts';
import { until } from '../../support/until.ts';

const SNAPSHOT = '/api/v1/selected/snapshot';
const CHANGES = '/api/v1/selected/changes';

let feed: NewsFeedFixture;

beforeAll(async () => {
  feed = await newsFeedFixture();
});
afterAll(() => feed.close());
beforeEach(() => feed.database.pool.query('delete from news.item'));

function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return send(`${feed.url}${path}`, { headers });
}

async function insert(...ids: string[]): Promise<void> {
  const rows = ids.map((id) => itemRow(id, { id, selected: true, summary: `Summary of ${id}` }));
  await feed.db.insertInto('news.item').values(rows).execute();
}

/** Waits until the replica under test has heard of what was written: a cached answer may be a second old. */
async function fresh(path: string, expected: object): Promise<Answer> {
  return until(`${path} answers ${JSON.stringify(expected)}`, async () => {
    const answer = await get(path);
    try {
      expect(answer.body).toMatchObject(expected);
      return answer;
    } catch {
      return undefined;
    }
  });
}

describe('GET /api/v1/selected/snapshot', () => {
  it('answers with an empty set', async () => {
    const { status, body } = await fresh(SNAPSHOT, { count: 0 });
    expect(status).toBe(200);
    expect(body).toEqual({
      schemaVersion: 1,
      asOf: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      fields: 'default',
      cursor: expect.any(String),
      count: 0,
      hasMore: false,
      nextPage: null,
      items: [],
    });
  });

  it('shows every member of an item, and only selected ones that are not withdrawn', async () => {
    const withdrawn = itemRow('w', { id: 'w', selected: true, withdrawn_at: new Date() });
    const other = itemRow('o', { id: 'o' });
    const whole = itemRow('a%2Fb?ü', {
      id: 'a%2Fb?c',
      selected: true,
      title: 'Titel “Ω” 新闻 👩‍🚀',
      original_title: 'Original',
      summary: '  Zwei\n Zeilen  ',
      source_name: 'Quelle',
      original_url: 'https://source.example/ü?q=%20#x',
      category: 'research',
      score: 88.5,
      directions: ['domestic', 'overseas'],
      image: JSON.stringify({ url: 'https://img.example/a.jpg', width: 640 }),
      language: 'de',
      reason: 'Not shown here',
      published_at: new Date('2026-01-02T03:04:05.678Z'),
      discovered_at: new Date('2026-01-02T04:00:00Z'),
    });
    await feed.db.insertInto('news.item').values([whole, other, withdrawn]).execute();
    const { body } = await fresh(SNAPSHOT, { count: 1 });
    expect(body.items).toEqual([
      {
        id: 'a%2Fb?c',
        title: 'Titel “Ω” 新闻 👩‍🚀',
        originalTitle: 'Original',
        summary: '  Zwei\n Zeilen  ',
        source: { name: 'Quelle' },
        links: { site: `${SITE_URL}/items/a%252Fb%3Fc`, original: 'https://source.example/ü?q=%20#x' },
        publishedAt: '2026-01-02T03:04:05.678Z',
        discoveredAt: '2026-01-02T04:00:00.000Z',
        category: 'research',
        score: 88.5,
        selected: true,
        directions: ['domestic', 'overseas'],
        attribution: { name: 'Pressroom', url: SITE_URL },
        image: { url: 'https://img.example/a.jpg', width: 640 },
        language: 'de',
      },
    ]);
    const [minimal] = (await get(`${SNAPSHOT}?fields=minimal`)).body.items;
    expect(Object.keys(minimal)).toEqual([
      ...['id', 'title', 'source', 'links', 'publishedAt', 'discoveredAt'],
      ...['category', 'score', 'selected', 'directions'],
    ]);
  });

  it('pages by key to the end, with the sync cursor and the time of the first page', async () => {
    const ids = Array.from({ length: 25 }, (_, number) => `i${String(number).padStart(2, '0')}`);
    await insert(...ids);
    const first = await fresh(`${SNAPSHOT}?limit=10`, { count: 10 });
    const second = await get(`${SNAPSHOT}?limit=10&page=${first.body.nextPage}`);
    const third = await get(`${SNAPSHOT}?limit=10&page=${second.body.nextPage}`);
    const pages = [first.body, second.body, third.body];
    expect(pages.map(({ count, hasMore }) => [count, hasMore])).toEqual([
      [10, true],
      [10, true],
      [5, false],
    ]);
    expect(third.body.nextPage).toBeNull();
    expect(pages.flatMap(({ items }) => items.map(({ id }: { id: string }) => id))).toEqual(ids);
    expect(new Set(pages.map(({ cursor }) => cursor)).size).toBe(1);
    expect(new Set(pages.map(({ asOf }) => asOf)).size).toBe(1);
  });

  it('ends where the last page is exactly full', async () => {
    await insert('a', 'b', 'c', 'd');
    const first = await fresh(`${SNAPSHOT}?limit=2`, { count: 2, hasMore: true });
    const last = await get(`${SNAPSHOT}?limit=2&page=${first.body.nextPage}`);
    expect(last.body).toMatchObject({ count: 2, hasMore: false, nextPage: null });
  });

  it('leaves out summary and original link with fields=minimal, on all pages', async () => {
    await insert('a', 'b');
    const first = await fresh(`${SNAPSHOT}?fields=minimal&limit=1`, { count: 1 });
    const second = await get(`${SNAPSHOT}?limit=1&page=${first.body.nextPage}`);
    const third = await get(`${SNAPSHOT}?fields=minimal&limit=1&page=${first.body.nextPage}`);
    expect(third.body).toEqual(second.body);
    const set = await selectedSet(feed.database.pool, 'minimal');
    for (const [page, id] of [
      [first, 'a'],
      [second, 'b'],
    ] as const) {
      expect(page.body.fields).toBe('minimal');
      expect(page.body.items).toEqual([set.get(id)]);
    }
  });

  it('refuses a page with other fields, and says what to do', async () => {
    await insert('a', 'b');
    const minimal = await fresh(`${SNAPSHOT}?fields=minimal&limit=1`, { count: 1 });
    const whole = await fresh(`${SNAPSHOT}?limit=1`, { count: 1 });
    for (const query of [
      `fields=default&page=${minimal.body.nextPage}`,
      `fields=minimal&page=${whole.body.nextPage}`,
    ]) {
      const { status, body } = await get(`${SNAPSHOT}?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({
        code: 'invalid_cursor',
        detail: expect.stringContaining('omit fields'),
      });
    }
  });

  it('converges when the set changes between its pages', async () => {
    await insert('b', 'd', 'f', 'h');
    const first = await fresh(`${SNAPSHOT}?limit=2`, { count: 2, hasMore: true });
    await insert('a', 'g');
    await feed.db.updateTable('news.item').set({ selected: false }).where('id', 'in', ['b', 'f']).execute();
    await feed.db.updateTable('news.item').set({ title: 'Edited' }).where('id', 'in', ['d', 'h']).execute();
    const second = await get(`${SNAPSHOT}?limit=10&page=${first.body.nextPage}`);
    expect(second.body.cursor).toBe(first.body.cursor);
    const copy = new Map([...first.body.items, ...second.body.items].map((item) => [item.id, item]));
    const changes = await fresh(`${CHANGES}?cursor=${first.body.cursor}`, { hasMore: false });
    for (const change of changes.body.changes) {
      if (change.op === 'upsert') copy.set(change.item.id, change.item);
      else copy.delete(change.id);
    }
    expect(copy).toEqual(await selectedSet(feed.database.pool, 'default'));
  });

  it('may be kept for five minutes', async () => {
    const { headers } = await get(SNAPSHOT);
    expect(headers.get('cache-control')).toBe(
      'public, max-age=300, s-maxage=300, stale-while-revalidate=900',
    );
  });
});

describe('GET /api/v1/selected/changes', () => {
  it('answers the same cursor and the same tag while nothing changes', async () => {
    await insert('a');
    const { body } = await fresh(SNAPSHOT, { count: 1 });
    const tip = await drained(body.cursor);
    const [one, two] = [await get(`${CHANGES}?cursor=${tip}`), await get(`${CHANGES}?cursor=${tip}`)];
    expect(one.body).toEqual({
      schemaVersion: 1,
      fields: 'default',
      cursor: tip,
      count: 0,
      hasMore: false,
      changes: [],
    });
    expect(two.headers.get('etag')).toBe(one.headers.get('etag'));
    expect(one.headers.get('cache-control')).toBe(
      'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
    );
  });

  it('shows adds, edits and removals, minimal ones after a minimal snapshot', async () => {
    await insert('edited', 'removed');
    const start = await drained((await fresh(`${SNAPSHOT}?fields=minimal`, { count: 2 })).body.cursor);
    await insert('added');
    await feed.db.updateTable('news.item').set({ title: 'New' }).where('id', '=', 'edited').execute();
    await feed.db.deleteFrom('news.item').where('id', '=', 'removed').execute();
    const { body } = await fresh(`${CHANGES}?cursor=${start}`, { count: 3 });
    const set = await selectedSet(feed.database.pool, 'minimal');
    const changedAt = expect.stringMatching(/Z$/);
    expect(body).toMatchObject({ fields: 'minimal', hasMore: false });
    expect(body.changes).toEqual([
      { op: 'upsert', changedAt, item: set.get('added') },
      { op: 'upsert', changedAt, item: set.get('edited') },
      { op: 'remove', changedAt, id: 'removed' },
    ]);
  });

  it('pages by limit', async () => {
    const start = await drained((await get(SNAPSHOT)).body.cursor);
    await insert('a', 'b', 'c');
    const first = await fresh(`${CHANGES}?cursor=${start}&limit=2`, { count: 2, hasMore: true });
    const second = await get(`${CHANGES}?cursor=${first.body.cursor}&limit=2`);
    expect(second.body).toMatchObject({ count: 1, hasMore: false });
  });

  it('continues from an old cursor, with each changed item once', async () => {
    await insert('a', 'b');
    const start = await drained((await fresh(SNAPSHOT, { count: 2 })).body.cursor);
    for (let round = 0; round < 30; round += 1) {
      await feed.db
        .updateTable('news.item')
        .set({ title: `Round ${round}` })
        .where('id', '=', 'a')
        .execute();
      await drained(start);
    }
    const { body } = await fresh(`${CHANGES}?cursor=${start}`, {
      changes: [{ item: { title: 'Round 29' } }],
    });
    expect(body.count).toBe(1);
  });

  it('needs a cursor', async () => {
    const { status, body } = await get(CHANGES);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining('cursor') });
  });

  let tick = 0;

  /** The cursor after everything that has been committed. */
  async function drained(start: string): Promise<string> {
    for (let cursor = start; ; ) {
      // Another limit each time is another URL: no answer comes from the cache.
      tick += 1;
      const { body } = await get(`${CHANGES}?cursor=${cursor}&limit=${1 + (tick % 100)}`);
      cursor = body.cursor;
      if (!body.hasMore) return cursor;
    }
  }
});

describe('an answer from memory', () => {
  it('is replaced after a change that was not announced because another writer was busy', async () => {
    await insert('a');
    await fresh(SNAPSHOT, { count: 1 });
    const busy = await feed.database.pool.connect();
    try {
      await busy.query('begin');
      await busy.query(`update news.item set title = 'Busy' where id = 'a'`);
      await insert('b');
      await fresh(SNAPSHOT, { count: 2 });
      // Answers cached now were loaded after the last announcement.
      await insert('c');
      const { body } = await fresh(SNAPSHOT, { count: 3 });
      expect(body.items).toMatchObject([{ id: 'a', title: 'Title of a' }, { id: 'b' }, { id: 'c' }]);
      await busy.query('commit');
      await fresh(SNAPSHOT, { items: [{ title: 'Busy' }, {}, {}] });
    } finally {
      busy.release();
    }
  });
});

describe('a ledger that has started over', () => {
  it('gives a client that is sent back a snapshot that it can continue from, announced or not', async () => {
    await insert('a');
    const { body: old } = await fresh(SNAPSHOT, { count: 1 });
    const busy = await feed.database.pool.connect();
    try {
      // Another writer holds the right to notify, so the replica hears of the new epoch only at its next
      // heartbeat.
      await busy.query('begin');
      await busy.query('update news.story set title = title where false');
      for (let round = 0; round < 5; round += 1) {
        await startLedgerEpoch(feed.db, 'news');
        const refused = await get(`${CHANGES}?cursor=${old.cursor}&limit=${round + 1}`);
        expect([refused.status, refused.body.code]).toEqual([409, 'snapshot_required']);
        const { body } = await get(SNAPSHOT);
        expect((await get(`${CHANGES}?cursor=${body.cursor}&limit=${round + 1}`)).status).toBe(200);
      }
    } finally {
      await busy.query('rollback');
      busy.release();
    }
  });
});

describe('a cursor that cannot be continued', () => {
  async function cursors(): Promise<{ sync: string; page: string }> {
    await insert('a', 'b');
    const { body } = await fresh(`${SNAPSHOT}?limit=1`, { hasMore: true });
    return { sync: body.cursor, page: body.nextPage };
  }

  const mangled: [string, (cursor: string) => string][] = [
    ['empty', () => ''],
    ['of another kind of text', () => 'newest'],
    ['cut short', (cursor) => cursor.slice(0, -1)],
    ['longer than it was', (cursor) => `${cursor}A`],
    ['changed in one character', (cursor) => `${cursor[0] === 'A' ? 'B' : 'A'}${cursor.slice(1)}`],
    ['very long', () => 'A'.repeat(4000)],
    ['not ASCII', () => encodeURIComponent('新闻')],
  ];
  it.each(mangled)('is answered 409 when it is %s', async (_how, mangle) => {
    const { sync, page } = await cursors();
    for (const path of [`${CHANGES}?cursor=${mangle(sync)}`, `${SNAPSHOT}?page=${mangle(page)}`]) {
      const { status, body, headers } = await get(path);
      expect({ path, status, code: body.code }).toEqual({ path, status: 409, code: 'snapshot_required' });
      expect(body.detail).toContain(SNAPSHOT);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('is answered 409 where the other kind belongs', async () => {
    const { sync, page } = await cursors();
    for (const path of [`${CHANGES}?cursor=${page}`, `${SNAPSHOT}?page=${sync}`]) {
      expect(await get(path)).toMatchObject({ status: 409, body: { code: 'snapshot_required' } });
    }
  });

  it('is answered 409 when all items look different now, because the site has another name', async () => {
    const { sync } = await cursors();
    const renamed = await startNewsFeed(feed.database.url, { SITE_LINK_NAME: 'paper' });
    const answer = await send(`${renamed.url}${CHANGES}?cursor=${sync}`);
    const { body } = await send(`${renamed.url}${SNAPSHOT}`);
    await renamed.close();
    expect(answer).toMatchObject({ status: 409, body: { code: 'snapshot_required' } });
    expect(body.items[0].links).toEqual({
      paper: `${SITE_URL}/items/a`,
      original: 'https://source.example/a',
    });
  });
});

describe('parameters', () => {
  const refused: [string, string][] = [
    [`${SNAPSHOT}?limit=0`, 'limit'],
    [`${SNAPSHOT}?limit=1001`, 'limit'],
    [`${SNAPSHOT}?limit=1.5`, 'limit'],
    [`${SNAPSHOT}?limit=`, 'limit'],
    [`${SNAPSHOT}?limit=5&limit=6`, 'limit'],
    [`${SNAPSHOT}?fields=all`, 'fields'],
    [`${SNAPSHOT}?fields=minimal&fields=minimal`, 'fields'],
    [`${SNAPSHOT}?page=a&page=b`, 'page'],
    [`${SNAPSHOT}?cursor=a`, 'cursor'],
    [`${SNAPSHOT}?utm_source=x`, 'utm_source'],
    [`${CHANGES}?cursor=a&limit=0`, 'limit'],
    [`${CHANGES}?cursor=a&limit=101`, 'limit'],
    [`${CHANGES}?cursor=a&limit=-1`, 'limit'],
    [`${CHANGES}?cursor=a&cursor=b`, 'cursor'],
    [`${CHANGES}?cursor=a&fields=minimal`, 'fields'],
  ];
  it.each(refused)('%s is refused by name', async (path, name) => {
    const { status, body } = await get(path);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining(`"${name}"`) });
  });

  it('are accepted at their limits', async () => {
    await insert('a');
    const { body } = await fresh(`${SNAPSHOT}?limit=1000`, { count: 1 });
    for (const limit of [1, 100]) {
      expect((await get(`${CHANGES}?cursor=${body.cursor}&limit=${limit}`)).status).toBe(200);
    }
    expect((await get(`${SNAPSHOT}?limit=1`)).status).toBe(200);
  });
});

describe('conditional requests and HEAD', () => {
  it('answer 304 while the set is the same, even if other things change', async () => {
    await insert('a');
    const { body } = await fresh(SNAPSHOT, { count: 1 });
    const { headers } = await fresh(`${CHANGES}?cursor=${body.cursor}`, { hasMore: false });
    const whole = await get(SNAPSHOT);
    await feed.db.insertInto('news.item').values(itemRow('unselected')).execute();
    const uncached = await startNewsFeed(feed.database.url, { CACHE_BYTES: '0' });
    const ask = (path: string, etag: string | null) =>
      send(`${uncached.url}${path}`, { headers: { 'if-none-match': etag ?? '' } });
    const snapshot = await ask(SNAPSHOT, whole.headers.get('etag'));
    const changes = await ask(`${CHANGES}?cursor=${body.cursor}`, headers.get('etag'));
    await uncached.close();
    expect([snapshot.status, changes.status]).toEqual([304, 304]);
  });

  it('answer 304 without a body, and HEAD as GET', async () => {
    await insert('a');
    const { body } = await fresh(SNAPSHOT, { count: 1 });
    for (const path of [SNAPSHOT, `${SNAPSHOT}?fields=minimal`, `${CHANGES}?cursor=${body.cursor}`]) {
      const whole = await get(path);
      const etag = whole.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[^"]+"$/);
      const head = await send(`${feed.url}${path}`, { method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(whole.text)));
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const answer = await get(path, { 'if-none-match': known });
        expect({ known, status: answer.status, text: answer.text }).toEqual({ known, status: 304, text: '' });
        for (const name of ['etag', 'cache-control']) {
          expect(answer.headers.get(name)).toBe(whole.headers.get(name));
        }
        expect(answer.headers.get('content-type')).toBeNull();
      }
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
  });
});
