import type { PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** The effects of one statement of hand-written SQL that inserts articles, whatever is among them. */

let database: TestDatabase;
let tx: PoolClient;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  tx = await database.pool.connect();
  await tx.query('begin');
  await tx.query(`
    insert into content.tag (name, slug) values ('One', 'one'), ('Two', 'two');
    insert into content.author (name, slug) values ('Ann', 'ann'), ('Bob', 'bob');
    insert into content.release (name) values ('special');
    delete from content.audit;
    create temp table seen on commit drop as select max(id) as change from content.ledger_change`);
});
afterEach(async () => {
  await tx.query('rollback');
  tx.release();
});

/** The payloads that come on a channel until the test ends. */
async function listen(channel: string): Promise<string[]> {
  const listener = await database.pool.connect();
  onTestFinished(() => listener.release(true));
  const heard: string[] = [];
  listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
  await listener.query(`listen ${channel}`);
  return heard;
}

/** The rows of a query, each as a list. */
async function rows(sql: string): Promise<unknown[][]> {
  return (await tx.query({ text: sql, rowMode: 'array' })).rows;
}

/** An article of a statement: its slug, and what other columns have, as SQL. */
type Article = [slug: string, columns: Record<string, string>];

/** Inserts articles in one statement. */
async function insert(...articles: Article[]): Promise<void> {
  const needed = { content: "'Text'", author: "'Writer'", title_words: "'{}'" };
  const written = articles.map(
    ([slug, columns]): Record<string, string> => ({
      slug: `'${slug}'`,
      title: `'${slug}'`,
      ...needed,
      ...columns,
    }),
  );
  const names = [...new Set(written.flatMap(Object.keys))];
  const values = written.map((article) => `(${names.map((name) => article[name] ?? 'default').join(', ')})`);
  await tx.query(
    `insert into content.article (${names.join(', ')}) overriding system value values ${values.join(', ')}`,
  );
}

const PUBLISHED = { is_published: 'true', published_at: "timestamptz '2026-01-01'" };
const TERMS = (of: 'tag' | 'author') => `(select array_agg(id order by id) from content.${of})`;

test('what is published is recorded for copies and in the trail, a draft in neither', async () => {
  await insert(['first', PUBLISHED], ['draft', { is_published: 'false' }], ['second', PUBLISHED]);
  const changed = `
    select slug from content.ledger_change join content.article on item_id = 'article:' || article.id
    where ledger_change.id > coalesce((select change from seen), 0) order by ledger_change.id`;
  expect(await rows(changed)).toEqual([['first'], ['second']]);
  const trail = `select action, detail from content.audit order by id`;
  const detail = (slug: string) => ({ slug, published_at: expect.stringMatching(/^2026-01-01T/) });
  expect(await rows(trail)).toEqual([
    ['article.published', detail('first')],
    ['article.published', detail('second')],
  ]);
});

test('an import records what it publishes for copies, and nothing in the trail', async () => {
  await tx.query("set local pressroom.import = 'on'");
  await insert(['imported', PUBLISHED]);
  expect(await rows('select count(*)::int from content.audit')).toEqual([[0]]);
  expect(
    await rows(
      'select count(*)::int from content.ledger_change where id > coalesce((select change from seen), 0)',
    ),
  ).toEqual([[1]]);
});

test('what is published is on disk at the commit, a draft as the session says', async () => {
  await tx.query('set local synchronous_commit = off');
  await insert(['draft', { is_published: 'false' }]);
  expect(await rows('show synchronous_commit')).toEqual([['off']]);
  await insert(['published', PUBLISHED]);
  expect(await rows('show synchronous_commit')).not.toEqual([['off']]);
});

test('a plan is in the trail, and wakes whoever carries it out', async () => {
  const heard = await listen('content_scheduled');
  const plans: Article[] = [
    ['planned', { publish_at: "timestamptz '2100-01-01'" }],
    ['unplanned', {}],
    ['released', { release: "'special'" }],
    ['ending', { ...PUBLISHED, unpublish_at: "timestamptz '2100-01-01'" }],
  ];
  for (const plan of plans) await insert(plan);
  const trail = `
    select slug, detail - 'release' <> '{}', detail ->> 'release' from content.audit
    join content.article on article.id = article_id where action = 'article.planned' order by slug`;
  expect(await rows(trail)).toEqual([
    ['ending', true, null],
    ['planned', true, null],
    ['released', true, 'special'],
  ]);
  await tx.query(
    'delete from content.article where id in (select id from content.article order by id for update); delete from content.tag; delete from content.author; delete from content.release',
  );
  await tx.query('commit');
  await expect.poll(() => heard).toEqual(['']);
});

test('what is published already has no time for it', async () => {
  const at = "timestamptz '2100-01-01'";
  await insert(
    ['published', { ...PUBLISHED, publish_at: at, unpublish_at: at }],
    ['released', { ...PUBLISHED, release: "'special'" }],
    ['draft', { publish_at: at }],
  );
  const plans = `
    select slug, publish_at is null, unpublish_at is null, release from content.article
    where slug in ('published', 'released', 'draft') order by slug`;
  expect(await rows(plans)).toEqual([
    ['draft', false, true, null],
    ['published', true, false, null],
    ['released', true, true, null],
  ]);
});

test('tags, authors and media are kept beside the article, and the author is their names', async () => {
  const link = '<img src="https://site.example/media/v0123456789ab/b.jpg?w=1"><a href="/media/c.pdf">';
  const linked: Article[] = [
    ['tagged', { tag_ids: TERMS('tag') }],
    ['signed', { author_ids: TERMS('author') }],
    ['picture', { featured_image: "'/media/a.jpg'" }],
    ['text', { content: `'${link}'` }],
    ['none', {}],
  ];
  for (const article of linked) await insert(article);
  const kept = (table: string, what: string) =>
    rows(
      `select article.slug, ${what} from content.${table} join content.article on article.id = article_id order by 1, 2`,
    );
  const term = (of: string) => kept(`article_${of} join content.${of} on ${of}.id = ${of}_id`, `${of}.slug`);
  expect(await rows("select slug, author from content.article where author <> 'Writer'")).toEqual([
    ['signed', 'Ann, Bob'],
  ]);
  expect(await term('tag')).toEqual([
    ['tagged', 'one'],
    ['tagged', 'two'],
  ]);
  expect(await term('author')).toEqual([
    ['signed', 'ann'],
    ['signed', 'bob'],
  ]);
  expect(await kept('article_media', 'path')).toEqual([
    ['picture', 'a.jpg'],
    ['text', 'b.jpg'],
    ['text', 'c.pdf'],
  ]);
});

test('what comes back as a later revision is in the trail', async () => {
  await insert(['restored', { revision: '3' }], ['new', {}]);
  expect(await rows('select action, detail from content.audit')).toEqual([
    ['article.restored', { slug: 'restored', title: 'restored', is_published: false }],
  ]);
});

test('what takes the place of a deleted article takes its slug too, and no other may', async () => {
  await insert(['kept', { ...PUBLISHED, id: '100' }], ['replaced', { ...PUBLISHED, id: '101' }]);
  await tx.query('delete from content.article where id in (100, 101)');
  await insert(['replaced', { id: '101' }], ['another', { id: '102' }]);
  expect(await rows('select article_id from content.deleted_article where article_id >= 100')).toEqual([
    [100],
  ]);
  await expect(insert(['kept', { id: '103' }])).rejects.toThrow(/"kept" leads to another row/);
});

test('every article is an event where a hook is to hear of it', async () => {
  const events = 'select type, slug_after, cache_tags from content.event order by id';
  await insert(['unheard', PUBLISHED]);
  expect(await rows(events)).toEqual([]);
  await tx.query("insert into content.hook (url, events, secret) values ('https://a.example', '{*}', 'x')");
  await insert(
    ['heard', { ...PUBLISHED, id: '201', tag_ids: '(select array[max(id)] from content.tag)' }],
    ['draft', { id: '200' }],
  );
  expect(await rows(events)).toEqual([
    ['article.created', null, []],
    [
      'article.created',
      'heard',
      expect.arrayContaining(['articles', 'article:201', expect.stringMatching(/^tag:/)]),
    ],
    ['article.published', 'heard', expect.anything()],
  ]);
});

test('what is published is announced: so much at once that a notification holds it, else everything', async () => {
  const heard = await listen('content_changed');
  await tx.query('truncate content.article cascade');
  await tx.query('commit');
  await expect.poll(() => heard).toHaveLength(1);
  const many = (count: number, begin: number) =>
    tx.query(`
      insert into content.article (id, title, slug, content, author, title_words, is_published, published_at)
      overriding system value select 2000000000 + n, 'Many', 'many-' || n, 'Text', 'Writer', '{}', true, now()
      from generate_series(${begin}, ${begin + count - 1}) as n`);
  await many(200, 1);
  await expect.poll(() => heard).toHaveLength(2);
  expect(new Set(heard[1]?.split(' ')).size).toBe(201);
  await many(201, 1000);
  await expect.poll(() => heard).toHaveLength(3);
  expect(heard[2]).toBe('');
  await tx.query("delete from content.article where slug = 'many-1'");
  await expect.poll(() => heard).toHaveLength(4);
  expect(heard[3]).toBe('article:2000000001 articles');
  await tx.query(
    'truncate content.article cascade; truncate content.deleted_article; delete from content.former_slug',
  );
  await tx.query('begin');
});
