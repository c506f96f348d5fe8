import { SearchGate } from '@pressroom/common/search/search';
import { itemsQuery } from '@pressroom/news-feed/api/items';
import { ItemStore } from '@pressroom/news-feed/api/items-store';
import { readVocabulary } from '@pressroom/news-feed/config';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { archiveLeftItems } from '@pressroom/news-feed/work/rank';
import fc from 'fast-check';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../support/http.ts';
import { itemRow, type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';

/** Items of the last 6 days, a minute or two apart. */
const ITEMS = 5000;

/** Words of which the later ones are rarer: word n is in every 7^n-th item. */
const WORDS = ['everywhere', '常见词', 'seldom', '罕见词语', 'once-only'];

let feed: NewsFeedFixture;
beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' });
  await feed.database.pool.query(
    `insert into news.story (public_id, title) values ('short', 'Short'), ('saga', 'Saga')`,
  );
  await feed.database.pool.query(
    `insert into news.item (id, title, summary, source_name, original_url, canonical_url, published_at, discovered_at,
       category, selected, directions, withdrawn_at, language, story)
     select 'item-' || n, 'Title ' || n, (
         select string_agg(word, ' 与 ') from unnest($2::text[]) with ordinality as words (word, rarity)
         where n % (7 ^ (rarity - 1))::int = 0
       ), case when n % 400 = 3 then 'Rare Herald' else 'Daily ' || n % 2 end, 'https://source.example/' || n, 'https://source.example/' || n,
       now() - n * interval '100 seconds' - n % 5 * interval '1 day', now() - n * interval '100 seconds',
       case when n % 900 = 1 then 'patent' else 'research' end, n % 3 = 0,
       case when n % 1500 = 2 then array['domestic', 'overseas'] else array['overseas'] end,
       case when n % 11 = 0 then now() end,
       case when n % 700 = 5 then 'zh-Hant-TW' when n % 9 = 4 then 'zh' when n % 5 > 0 then 'en' end,
       case when n % 800 = 3 then 'short' when n % 2 = 0 then 'saga' end
     from generate_series(1, $1::int) as n`,
    [ITEMS, WORDS],
  );
  await feed.database.pool.query('vacuum analyze');
});
afterAll(() => feed.close());

/** A query of the items as a client writes it. */
type Query = Partial<
  Record<'mode' | 'by' | 'category' | 'direction' | 'q' | 'source' | 'language' | 'story', string>
>;

/** The ids of all pages. */
async function ids(query: Query): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const parameters = new URLSearchParams({ limit: '100', ...query, ...(cursor && { cursor }) });
    const { status, body, text } = await send(`${feed.url}/api/v1/items?${parameters}`);
    expect(status, text).toBe(200);
    for (const { id } of body.items) found.push(id);
    cursor = body.page.nextCursor;
  }
  return found;
}

/** The same by the plain definition: every item is looked at. */
async function expectedIds(query: Query): Promise<string[]> {
  const { mode = 'selected', by, category, direction, q = '', source, language, story } = query;
  const time = by === 'published' ? 'published_at' : 'timeline_at';
  const { rows } = await feed.database.pool.query(
    `select id from news.item where ${time} between now() - interval '7 days' and now() and withdrawn_at is null
       and ($1 = 'all' or in_selected_set) and ($2::text is null or category = $2) and ($3::text is null or $3 = any(directions))
       and (select bool_and(strpos(lower(summary), word) > 0) from unnest($4::text[]) as word) is not false
       and ($5::text is null or source_name = $5) and ($6::text is null or language ~ ('^' || $6 || '(-|$)'))
       and ($7::text is null or story = $7)
     order by ${time} desc, id desc`,
    [mode, category, direction, q.split(' ').filter((word) => word !== ''), source, language, story],
  );
  return rows.map(({ id }) => id);
}

const query = fc.record(
  {
    mode: fc.constantFrom('all', 'selected'),
    by: fc.constantFrom('timeline', 'published'),
    category: fc.constantFrom('patent', 'research', 'finance'),
    direction: fc.constantFrom('domestic', 'overseas'),
    source: fc.constantFrom('Rare Herald', 'Daily 1', 'Nobody'),
    language: fc.constantFrom('zh', 'zh-Hant', 'en', 'fr'),
    story: fc.constantFrom('short', 'saga', 'unknown'),
    q: fc
      .subarray([...WORDS, 'where', '词', 'nowhere', '没有'], { minLength: 1, maxLength: 3 })
      .map((words) => words.join(' '))
      .filter((text) => text.length > 1),
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
        [{ source: 'Daily 1', by: 'timeline' }],
        [{ source: 'Rare Herald', q: 'everywhere' }],
        [{ mode: 'all', language: 'zh' }],
        [{ mode: 'all', story: 'saga', language: 'zh-Hant' }],
      ],
    },
  );
});

/** Counts the items that the database reads for the first page. */
async function itemsRead(query: Query): Promise<number> {
  // One connection, because each reports what it has read when it is asked to.
  const pool = new pg.Pool({ connectionString: feed.database.url, max: 1 });
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool }) });
  const read = async () => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relid = 'news.item'::regclass`,
    );
    return rows[0].read as number;
  };
  const store = new ItemStore({ db, gate: new SearchGate(db, 1), clock: () => new Date(), stories: true });
  const before = await read();
  await store.page(itemsQuery(readVocabulary({})).parse(query));
  const after = await read();
  await db.destroy();
  return after - before;
}

test.each<Query>([
  { mode: 'all', category: 'patent' },
  { mode: 'all', category: 'finance' },
  { mode: 'all', direction: 'domestic' },
  { direction: 'domestic', category: 'patent' },
  { mode: 'all', q: 'once-only' },
  { mode: 'all', q: '罕见词语' },
  { mode: 'all', q: 'everywhere seldom nowhere' },
  { mode: 'all', q: '没有' },
  { mode: 'all', source: 'Rare Herald' },
  { source: 'Rare Herald', by: 'published' },
  { source: 'Rare Herald', q: 'everywhere' },
  { mode: 'all', language: 'zh-Hant' },
  { mode: 'all', story: 'short' },
])(
  '%j reads the newest items and what has its terms, source or story, not the whole window',
  async (query) => {
    expect(await itemsRead(query)).toBeLessThan(500);
  },
);

test('a rare word is found by its terms also beside an archive of millions, whose terms PostgreSQL cannot tell apart', async () => {
  // Its estimates are a share of all the rows that it believes to be there.
  await feed.database.pool.query(
    `select pg_restore_relation_stats('schemaname', 'news', 'relname', 'item_terms',
       'relpages', (pg_relation_size('news.item_terms') / 8192)::integer, 'reltuples', 5000000::real)`,
  );
  for (const q of ['once-only', '罕见词语', '没有']) {
    expect(await itemsRead({ mode: 'all', q }), q).toBeLessThan(500);
  }
});

test('an item that is changed is found by what it has become', async () => {
  await feed.db
    .insertInto('news.item')
    .values(itemRow('changing', { id: 'changing', title: 'Before' }))
    .execute();
  await feed.db
    .updateTable('news.item')
    .set({ title: 'Afterwards 之后', category: 'policy-standard' })
    .where('id', '=', 'changing')
    .execute();
  const queries: Query[] = [{ q: 'afterwards' }, { q: '之后' }, { category: 'policy-standard' }];
  for (const query of queries) {
    expect(await ids({ mode: 'all', ...query })).toEqual(['changing']);
  }
  expect(await ids({ mode: 'all', q: 'before' })).toEqual([]);
});

test('an item that has left every window is forgotten, and remembered when it is dated anew', async () => {
  const day = 24 * 60 * 60 * 1000;
  const old = new Date(Date.now() - 30 * day);
  const dated = (date: Date) => ({ published_at: date, discovered_at: date });
  const remembered = () =>
    feed.db
      .selectFrom('news.item_terms')
      .select('item_id')
      .where('item_id', 'like', 'dated-%')
      .where('archived', '=', false)
      .execute();
  await feed.db
    .insertInto('news.item')
    .values([
      itemRow('dated-old', { id: 'dated-old', title: 'Unforgotten', ...dated(old) }),
      itemRow('dated-new', { id: 'dated-new', title: 'Unforgotten' }),
    ])
    .execute();
  expect(await remembered()).toEqual([{ item_id: 'dated-new' }]);
  await feed.db.updateTable('news.item').set(dated(new Date())).where('id', '=', 'dated-old').execute();
  expect((await ids({ mode: 'all', q: 'unforgotten' })).toSorted()).toEqual(['dated-new', 'dated-old']);
  await feed.db.updateTable('news.item').set(dated(old)).where('id', '=', 'dated-new').execute();
  await feed.database.pool.query(
    `update news.item_terms set latest_at = now() - interval '9 days' where item_id = 'dated-new'`,
  );
  await archiveLeftItems(feed.db);
  expect(await remembered()).toEqual([{ item_id: 'dated-old' }]);
});

test('a service whose clock shows another year finds the news of that time', async () => {
  const then = new Date('2020-01-08T00:00:00.000Z');
  const old = await newsFeedFixture({}, () => then);
  try {
    const row = (id: string, published_at: string) =>
      itemRow(id, { id, published_at: new Date(published_at), category: 'patent' });
    for (const [id, time] of [
      ['a', '2020-01-02'],
      ['b', '2020-01-07'],
      ['gone', '2019-12-01'],
    ] as const) {
      await old.db
        .insertInto('news.item')
        .values(row(id, `${time}T00:00:00Z`))
        .execute();
    }
    await archiveLeftItems(old.db);
    const { body } = await send(`${old.url}/api/v1/items?mode=all&by=published&category=patent`);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['b', 'a']);
  } finally {
    await old.close();
  }
});
