import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { send } from '../support/http.ts';

const ARTICLES = 31_000;

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture();
  const { pool } = content.database;
  await pool.query(`insert into content.category (name, slug) values ('Even', 'even'), ('Odd', 'odd')`);
  // A hundred days, many articles at the same moment, every tenth one a draft, some of which were published
  // once.
  await pool.query(
    `insert into content.article (title, slug, content, author, title_words, category_id, is_published, published_at)
     select 'Article ' || n, 'article-' || n, 'x', 'x', '{}', 1 + n % 2, n % 10 <> 0,
            case when n % 20 <> 0 then timestamptz '2026-01-01' + (n / 40) * interval '3 hours' end
     from generate_series(1, $1::int) as n`,
    [ARTICLES],
  );
  // To make them searchable would read their rows, too.
  await pool.query('truncate content.unsearchable_article');
  await pool.query('vacuum analyze content.article');
});
afterAll(() => content.close());

/** The ids of a page by the plain definition: everything counted and skipped. */
async function expectedIds(where: string, page: number, perPage: number): Promise<number[]> {
  const { rows } = await content.database.pool.query(
    `select id from content.article where ${where} order by published_at desc, id desc limit $1 offset $2`,
    [perPage, (page - 1) * perPage],
  );
  return rows.map(({ id }) => id);
}

describe.each([
  { query: 'status=published', where: 'is_published' },
  { query: 'status=all', where: 'true' },
  { query: 'status=draft', where: 'not is_published' },
  { query: 'status=published&category_id=1', where: 'is_published and category_id = 1' },
  { query: 'status=all&category_id=2', where: 'category_id = 2' },
])('pages of $query', ({ query, where }) => {
  test('match a count from the beginning, at the beginning, in the middle and at the end', async () => {
    const { rows } = await content.database.pool.query(
      `select count(*)::int as total from content.article where ${where}`,
    );
    const { total } = rows[0];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (perPage, depth) => {
          const pages = Math.ceil(total / perPage);
          const page = 1 + Math.floor(depth * (pages - 1));
          const { body } = await send(
            `${content.url}/api/articles?${query}&page=${page}&per_page=${perPage}`,
            {
              headers: { 'x-api-key': content.key },
            },
          );
          expect(body.meta).toEqual({ page, per_page: perPage, total, total_pages: pages });
          expect(body.data.map(({ id }: { id: number }) => id)).toEqual(
            await expectedIds(where, page, perPage),
          );
        },
      ),
      {
        numRuns: 40,
        examples: [
          [100, 0.5],
          [20, 1],
          [1, 0.5],
        ],
      },
    );
  });
});

test('a page past the end is empty, however far', async () => {
  const { status, body } = await send(`${content.url}/api/articles?page=9007199254740991`);
  expect(status).toBe(200);
  expect(body.data).toEqual([]);
});

test('no page reads more rows than there are between it and the nearer end, or in its day', async () => {
  const { pool } = content.database;
  const read = async () => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `select coalesce(sum(idx_tup_read), 0)::int as read from pg_stat_user_indexes where relname = 'article'`,
    );
    return rows[0].read as number;
  };
  const before = await read();
  await send(`${content.url}/api/articles?page=700&per_page=20`);
  // 14,000 rows come before this page; a day of this table has 320.
  expect((await read()) - before).toBeLessThan(2000);
});

test('a page in the middle adds up the months, and the days of one month, however many years there are', async () => {
  const { pool } = content.database;
  const read = async () => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `select coalesce(sum(idx_tup_read + seq_tup_read), 0)::int as read from pg_stat_user_tables
       join pg_stat_user_indexes using (relid) where pg_stat_user_tables.relname = 'list_count'`,
    );
    return rows[0].read as number;
  };
  const client = await pool.connect();
  try {
    // 40 years with an article a day, in their own category.
    await client.query(`insert into content.category (name, slug) values ('Old', 'old')`);
    await client.query(
      `insert into content.article (title, slug, content, author, title_words, category_id, is_published, published_at)
       select 'Old ' || n, 'old-' || n, 'x', 'x', '{}', 3, true, timestamptz '1970-01-01' + n * interval '1 day'
       from generate_series(1, 14600) as n`,
    );
    await client.query('vacuum analyze');
    const before = await read();
    const { body } = await send(`${content.url}/api/articles?category_id=3&page=400&per_page=20`);
    expect(body.data[0].title).toBe(`Old ${14_600 - 399 * 20}`);
    expect((await read()) - before).toBeLessThan(2000);
  } finally {
    await client.query('delete from content.article where category_id = 3');
    await client.query('delete from content.category where id = 3');
    client.release();
  }
});

test('the counts are right after any sequence of statements', async () => {
  const { pool } = content.database;
  const statement = fc.oneof(
    fc.constant(`insert into content.article (title, slug, content, author, title_words, category_id, is_published, published_at)
      select 'New', 'new-' || gen_random_uuid(), 'x', 'x', '{}', nullif(n % 3, 0), n % 2 = 0, now() - n * interval '1 day' from generate_series(1, 5) as n`),
    fc.constant('update content.article set is_published = false where id % 7 = 1 and is_published'),
    fc.constant(
      'update content.article set is_published = true, published_at = coalesce(published_at, now()) where id % 11 = 1',
    ),
    fc.constant('update content.article set category_id = 3 - category_id where id % 13 = 1'),
    fc.constant('update content.article set category_id = null where id % 17 = 1'),
    fc.constant('update content.article set category_id = 1 where category_id is null'),
    fc.constant(`update content.article set title = title || '.' where id % 5 = 1`),
    fc.constant('delete from content.article where id % 19 = 1'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 6 }), async (statements) => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        for (const sql of statements) await client.query(sql);
        const counted = await client.query(
          `select category_id, is_published, count(*)::int as articles from content.article
           group by grouping sets ((category_id, is_published), (is_published)) having grouping(category_id) = 1 or category_id is not null
           order by 1 nulls first, 2`,
        );
        const kept = await client.query(
          `select nullif(id, 0) as category_id, is_published, articles::int from content.list_count
           where period = 'all' and articles <> 0 order by 1 nulls first, 2`,
        );
        expect(kept.rows).toEqual(counted.rows);
        const byDay = await client.query(
          `select nullif(id, 0) as category_id, is_published, sum(articles)::int as articles from content.list_count
           where period = 'day' group by 1, 2 having sum(articles) <> 0 order by 1 nulls first, 2`,
        );
        expect(byDay.rows).toEqual(counted.rows);
        const [months, days] = await Promise.all(
          [
            "select id, is_published, since as month, articles from content.list_count where period = 'month'",
            `select id, is_published, date_trunc('month', since)::date as month, sum(articles) as articles
             from content.list_count where period = 'day' group by 1, 2, 3`,
          ].map((counts) =>
            client.query(
              `select id, is_published, month, articles::int from (${counts}) as counts where articles > 0 order by 1, 2, 3`,
            ),
          ),
        );
        expect(months?.rows).toEqual(days?.rows);
      } finally {
        await client.query('rollback');
        client.release();
      }
    }),
    { numRuns: 15 },
  );
});
