import { randomBytes } from 'node:crypto';
import { openDatabase } from '@pressroom/common/database/database';
import { indexAll } from '@pressroom/content/articles/indexing';
import { ArticleList } from '@pressroom/content/articles/list';
import { LIST_MEMBERS } from '@pressroom/content/articles/schema';
import type { ContentTables } from '@pressroom/content/tables';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import type { JsonBody } from '../support/http.ts';

const ARTICLES = 60_000;

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture({ CONTENT_SITE_URL: 'https://site.example' });
  const { pool } = content.database;
  await content.client.category({ name: 'Only' });
  // Without the triggers, which are tested elsewhere, and would take minutes.
  await pool.query('alter table content.article disable trigger user');
  await pool.query(
    `insert into content.article
       (title, title_words, slug, content, author, category_id, is_published, published_at, updated_at)
     select 'Plenty', '{}', 'plenty-' || n, repeat('word ', 200), 'Author ' || n % 20, 1, n % 100 > 0,
       timestamptz '2026-01-01' - n * interval '1 minute',
       timestamptz '2026-01-01' - ((n::bigint * 7919) % $1) * interval '1 minute'
     from generate_series(1, $1::integer) as n`,
    [ARTICLES],
  );
  await pool.query(
    `insert into content.list_count (kind, id, period, is_published, since, articles)
     select kind, id, 'all', is_published, '-infinity', $1 / 100 * case when is_published then 99 else 1 end
     from (values ('all', 0), ('category', 1)) as list (kind, id), (values (true), (false)) as state (is_published)`,
    [ARTICLES],
  );
  // The visibility map has holes, as it has between two vacuums.
  await pool.query('analyze content.article');
  await pool.query(`update content.article set excerpt = 'Changed' where id % 6 = 0`);
  await pool.query('analyze content.article');
});
afterAll(() => content.close());

/**
 * Ends the idle sessions of the service: only then, or seconds later, they tell what they have read. Not the
 * one that listens: without it, all that waits for announcements would look for itself.
 */
async function tellAll(): Promise<void> {
  await content.database.pool.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = current_database() and application_name = 'pressroom content' and state = 'idle'`,
  );
}

/** Counts the scans of articles from beginning to end, and those by an index. */
async function scans(): Promise<{ whole: number; byIndex: number; read: number }> {
  const { pool } = content.database;
  await pool.query('select pg_stat_force_next_flush()');
  const { rows } = await pool.query(
    `select seq_scan::integer as whole, idx_scan::integer as "byIndex", idx_tup_fetch::integer as read from pg_stat_user_tables
     where schemaname = 'content' and relname = 'article'`,
  );
  return rows[0];
}

test.each([
  '',
  'page=100',
  'sort=oldest',
  'sort=updated',
  'category_id=1',
  'category_id=1&sort=updated',
  'author=Author 3',
  'updated_since=2025-12-31T00:00:00Z',
  'published_before=2025-12-31T00:00:00Z',
  'status=all',
  'status=all&sort=updated',
  'status=all&category_id=1',
  'cursor=',
  'sort=updated&cursor=',
  'sort=updated_asc&cursor=',
  'sort=title',
  'status=all&sort=title_desc&cursor=',
  'author=Author 3&cursor=',
  'status=all&sort=oldest&cursor=',
  'ids=1,2,3',
  'slug=plenty-1,plenty-2',
])('%s reads articles by an index, also where no vacuum has been lately', async (list) => {
  await tellAll();
  const before = await scans();
  const { status, body } = await content.client.send(`/api/articles?${list}`);
  expect([status, body.data.length]).toEqual([200, expect.toSatisfy((length: number) => length > 0)]);
  await tellAll();
  const after = await scans();
  expect(after.byIndex).toBeGreaterThan(before.byIndex);
  expect(after.whole).toBe(before.whole);
});

test.each(['default', 'full'])(
  'a page of a %s snapshot reads the articles that it shows, wherever it is',
  async (fields) => {
    await tellAll();
    const before = await scans();
    let page = '';
    for (let pages = 1; pages <= 5; pages += 1) {
      const { status, body } = await content.client.anonymously(
        `/api/sync/snapshot?limit=100&fields=${fields}${page}`,
      );
      expect([status, body.data.length]).toEqual([200, 100]);
      page = `&page=${body.meta.next_page}`;
    }
    await tellAll();
    const after = await scans();
    expect(after.whole).toBe(before.whole);
    const read = after.read - before.read;
    expect(read).toBeGreaterThan(400);
    // One more of each page shows that there is another.
    expect(read).toBeLessThanOrEqual(5 * 101);
  },
);

test('a page of what is planned reads the articles that it shows, however many are planned for one moment', async () => {
  await content.database.pool.query(
    `update content.article set unpublish_at = timestamptz '2090-01-01' + id % 2 * interval '1 day'
     where is_published and id % 10 = 0`,
  );
  await tellAll();
  const before = await scans();
  let cursor = '';
  for (let pages = 1; pages <= 5; pages += 1) {
    const { status, body } = await content.client.send(`/api/schedule?per_page=100${cursor}`);
    expect([status, body.data.length]).toEqual([200, 100]);
    cursor = `&cursor=${body.meta.next_cursor}`;
  }
  await tellAll();
  const after = await scans();
  expect(after.whole).toBe(before.whole);
  // Each is found, and then shown; the scheduler may look meanwhile. Of those planned for the day there are
  // 3,000.
  expect(after.read - before.read).toBeLessThanOrEqual(5 * 3 * 101);
});

/** Counts the blocks of articles and of their indexes that were read. */
async function blocks(): Promise<number> {
  await tellAll();
  const { pool } = content.database;
  await pool.query('select pg_stat_force_next_flush()');
  const { rows } = await pool.query(
    `select (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::integer as blocks
     from pg_statio_user_tables where schemaname = 'content' and relname = 'article'`,
  );
  return rows[0].blocks;
}

test('the index of the sitemap looks once for each of its files, also right after a vacuum', async () => {
  await content.database.pool.query('vacuum analyze content.article');
  const before = await blocks();
  const { status, text } = await content.client.anonymously('/sitemap.xml');
  expect([status, text.split('<sitemap>').length - 1]).toEqual([200, 7]);
  // A look reads an index from its root, and a row: not all entries of the index.
  expect((await blocks()) - before).toBeLessThan(150);
});

test('filters that combine read each of the articles among which they choose once', async () => {
  const before = await blocks();
  const { status, body } = await content.client.anonymously(
    '/api/articles?category_id=1&updated_since=2025-12-20T00:00:00Z',
  );
  expect([status, body.meta.total_is_exact]).toEqual([200, false]);
  // 10,001 of them, to count and for the page: not by their ids again.
  expect((await blocks()) - before).toBeLessThan(16_000);
});

test('a search that finds its words in the head of an article reads no long text', async () => {
  const { pool } = content.database;
  const words = Array.from({ length: 1500 }, () => randomBytes(4).toString('hex')).join(' ');
  const article = {
    title: 'Unmistakable harbour in a storm',
    excerpt: words.slice(0, 300),
    content: `<p>${words}</p>`,
    is_published: true,
  };
  const { id } = await content.client.article(article);
  const unsearchable = (_: unknown, error: unknown) => {
    throw error;
  };
  {
    await using db = openDatabase<ContentTables>({ DATABASE_URL: content.database.url }, 'test of searches');
    await sql`insert into content.unsearchable_article (article_id) values (${id})`.execute(db);
    expect(await indexAll(db, { onLeftOut: unsearchable })).toBe(1);
  }
  expect(await found()).toMatchObject([{ id }]);
  const longTexts = async () => {
    await tellAll();
    const { rows } = await pool.query(
      `select toast_blks_hit + toast_blks_read as blocks from pg_statio_user_tables where relname = 'article_search'`,
    );
    return rows[0].blocks;
  };
  const before = await longTexts();
  await found();
  expect(await longTexts()).toBe(before);
});

/** The articles that a search which no cache answers finds by a word of a title. */
async function found(): Promise<JsonBody[]> {
  return (await content.client.send('/api/articles?q=unmistakable')).body.data;
}

test.each([
  ['first pages', (time: number) => ({ page: 1, perPage: 20 + time })],
  ['later pages', (time: number) => ({ page: 3 + time, perPage: 50 })],
  ['walks', (time: number) => ({ cursor: '', perPage: 100 - time })],
])('PostgreSQL keeps one plan for %s, of any values', async (_, placeOf) => {
  await using db = openDatabase<ContentTables>({ DATABASE_URL: content.database.url }, 'test of plans');
  const list = new ArticleList(LIST_MEMBERS);
  for (const category_id of [undefined, 1]) {
    const scope = { status: 'published', sort: 'newest', filters: { category_id } } as const;
    for (let time = 0; time < 10; time += 1) {
      const place = placeOf(time);
      const read = 'page' in place ? list.page(db, scope, place) : list.walk(db, scope, place);
      expect((await read).articles).toHaveLength(place.perPage);
    }
  }
  const { rows } = await sql<{ kept: number }>`
    select generic_plans::integer as kept from pg_prepared_statements where statement like '%"article"."title"%'
  `.execute(db);
  // PostgreSQL plans the first five anew in any case.
  expect(rows).toEqual([{ kept: 5 }, { kept: 5 }]);
});
