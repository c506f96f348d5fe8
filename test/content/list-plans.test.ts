import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';

const ARTICLES = 60_000;

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture();
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

/** How often articles were read from the beginning to the end, and how often by an index. */
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
  // Each is found, and then shown.
  expect(after.read - before.read).toBeLessThanOrEqual(5 * 2 * 101);
});
