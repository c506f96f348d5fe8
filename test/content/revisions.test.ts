import { openPruning } from '@pressroom/common/concurrency/background-loop';
import { ApiKeyStore } from '@pressroom/content/api-keys';
import { prune } from '@pressroom/content/revisions';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { CONTENT, ContentClient, wholeArticle } from '../support/content-client.ts';
import type { JsonBody } from '../support/http.ts';
import { memoryLog } from '../support/log.ts';
import { until } from '../support/until.ts';

let content: ContentFixture;
let client: ContentClient;
let db: Kysely<ContentTables>;
beforeAll(async () => {
  content = await contentFixture();
  client = content.client;
  db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool: content.database.pool }) });
});
afterAll(() => content.close());

const text = (words: string) => `<p>${words} ${'and what else there is to say. '.repeat(4)}</p>`;

const query = (sql: string, values: unknown[] = []) => content.database.pool.query(sql, values);

/** The revisions of an article, as number, who and what changed. */
async function history(id: number): Promise<unknown[]> {
  const { body } = await client.send(`/api/articles/${id}/revisions`);
  return body.data.map(({ revision, key, changed }: JsonBody) => [revision, key?.name ?? null, changed]);
}

/** True for each revision that readers have seen. */
async function seenByReaders(id: number): Promise<boolean[]> {
  const { body } = await client.send(`/api/articles/${id}/revisions`);
  return body.data.map(({ is_published }: JsonBody) => is_published);
}

async function revision(id: number, number: number): Promise<JsonBody> {
  const { status, body } = await client.send(`/api/articles/${id}/revisions/${number}`);
  return status === 200 ? body.data : { status };
}

const restore = (id: number, number: number, json?: object, headers = {}) =>
  client.send(`/api/articles/${id}/revisions/${number}/restore`, {
    method: 'POST',
    headers,
    ...(json && { json }),
  });

test('every change is a revision, with when, which key and what; each is read whole', async () => {
  const tag = await client.post('/api/tags', { name: 'Early', slug: 'early' });
  expect(tag.status).toBe(201);
  const { id } = await client.article({ title: 'First', content: text('First'), tags: ['early'] });
  expect(await history(id)).toEqual([[1, 'Test', null]]);
  await client.patch(`/api/articles/${id}`, { excerpt: 'In short', tags: [] });
  await client.patch(`/api/articles/${id}`, { excerpt: 'In short' });
  await client.patch(`/api/articles/${id}`, { content: text('Second'), is_published: true });
  expect(await history(id)).toEqual([
    [3, 'Test', ['content', 'is_published', 'published_at']],
    [2, 'Test', ['excerpt', 'tags']],
    [1, 'Test', null],
  ]);
  expect(await seenByReaders(id)).toEqual([true, false, false]);
  const first = await revision(id, 1);
  expect(first).toMatchObject({
    revision: 1,
    key: { prefix: content.key.slice(3, 11), name: 'Test' },
    changed: null,
  });
  expect(first.article).toEqual({
    ...wholeArticle({ title: 'First', content: text('First'), tags: ['early'] }),
    slug: 'first',
    author: 'Test',
    authors: [],
    extra: null,
    ...{ social_title: null, social_description: null, social_image: null },
    published_at: null,
  });
  expect((await revision(id, 2)).article).toEqual({ ...first.article, excerpt: 'In short', tags: [] });
  const { published_at } = await client.detail(id);
  expect((await revision(id, 3)).article).toEqual({
    ...first.article,
    excerpt: 'In short',
    tags: [],
    content: text('Second'),
    is_published: true,
    published_at,
  });
  const { rows } = await query(
    'select number, content from content.article_revision where article_id = $1 order by 1',
    [id],
  );
  expect(rows).toEqual([
    { number: 1, content: null },
    { number: 2, content: text('First') },
  ]);
  await client.patch(`/api/articles/${id}`, { is_published: false });
  expect(await seenByReaders(id)).toEqual([false, true, false, false]);
});

test('lists are read in pages, privately, and only with a key', async () => {
  const { id } = await client.article({});
  for (const excerpt of ['a', 'b', 'c', 'd']) await client.patch(`/api/articles/${id}`, { excerpt });
  const path = `/api/articles/${id}/revisions`;
  const seen: number[] = [];
  let cursor = '';
  do {
    const { status, body, headers } = await client.send(`${path}?per_page=2${cursor}`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    seen.push(...body.data.map(({ revision }: JsonBody) => revision));
    cursor = body.meta.next_cursor === null ? '' : `&cursor=${body.meta.next_cursor}`;
  } while (cursor !== '');
  expect(seen).toEqual([5, 4, 3, 2, 1]);
  expect((await client.send(`${path}?cursor=1`)).body).toMatchObject({
    data: [],
    meta: { next_cursor: null },
  });
  for (const wrong of [path, `${path}/1`, '/api/trash']) {
    expect((await client.anonymously(wrong)).status).toBe(401);
    const { headers } = await client.send(wrong);
    const again = await client.send(wrong, { headers: { 'if-none-match': String(headers.get('etag')) } });
    expect([wrong, again.status]).toEqual([wrong, 304]);
  }
  for (const [wrong, status] of [
    ['/api/articles/999999/revisions', 404],
    ['/api/articles/999999/revisions/1', 404],
    [`${path}/6`, 404],
    [`${path}/9999999999`, 404],
    [`${path}/0`, 400],
    [`${path}?cursor=x`, 400],
    [`${path}?page=2`, 400],
  ] as const) {
    expect([wrong, (await client.send(wrong)).status]).toEqual([wrong, status]);
  }
});

describe('SQL', () => {
  test('makes revisions of nobody, and of whom it names', async () => {
    const { id } = await client.article({ title: 'By hand' });
    await query(`update content.article set title = 'By SQL' where id = $1`, [id]);
    await query(
      `with key as materialized (select set_config('pressroom.key', $2, true))
       update content.article set excerpt = 'Signed' from key where id = $1`,
      [id, content.key.slice(3, 11)],
    );
    await query(
      `update content.article set updated_at = now(), revision = 70, revised_by = 'x' where id = $1`,
      [id],
    );
    await query(`update content.article set excerpt = null where id = $1`, [id]);
    expect(await history(id)).toEqual([
      [4, null, ['excerpt']],
      [3, 'Test', ['excerpt']],
      [2, null, ['title']],
      [1, 'Test', null],
    ]);
  });

  test('is one revision a commit, whatever it changes how often', async () => {
    const { id } = await client.article({ title: 'Before', content: text('Before') });
    const session = await content.database.pool.connect();
    await session.query('begin');
    await session.query(`update content.article set title = 'Between' where id = $1`, [id]);
    await session.query(`update content.article set content = $2, title = 'After' where id = $1`, [
      id,
      text('Between'),
    ]);
    await session.query('savepoint here');
    await session.query(`update content.article set excerpt = 'Never' where id = $1`, [id]);
    await session.query('rollback to here');
    await session.query(`update content.article set content = $2, author = 'Else' where id = $1`, [
      id,
      text('After'),
    ]);
    const { rows: made } = await session.query(
      `insert into content.article (title, slug, content, author, title_words)
       values ('Made', 'made-by-hand', 'x', 'SQL', '{}') returning id`,
    );
    await session.query(`update content.article set content = 'y' where id = $1`, [made[0].id]);
    await session.query('commit');
    session.release();
    expect(await history(id)).toEqual([
      [2, null, ['author', 'content', 'title']],
      [1, 'Test', null],
    ]);
    expect((await revision(id, 1)).article).toMatchObject({
      title: 'Before',
      content: text('Before'),
      author: 'Test',
    });
    expect((await revision(id, 2)).article).toMatchObject({
      title: 'After',
      content: text('After'),
      author: 'Else',
    });
    expect(await history(made[0].id)).toEqual([[1, null, null]]);
    expect((await revision(made[0].id, 1)).article.content).toBe('y');
  });
});

describe('a restore', () => {
  test('brings back what an article said, not whether it is published, and is a revision itself', async () => {
    const { id } = await client.article({ title: 'Good', content: text('Good'), excerpt: 'Good' });
    await client.patch(`/api/articles/${id}`, { title: 'Bad', is_published: true, slug: 'kept' });
    await client.patch(`/api/articles/${id}`, { content: text('Bad'), excerpt: null });
    const before = await client.detail(id);
    const { status, body, headers } = await restore(id, 1);
    expect([status, body.data]).toEqual([200, { id, title: 'Good', content: text('Good'), excerpt: 'Good' }]);
    const after = await client.detail(id);
    expect(after).toEqual({
      ...before,
      title: 'Good',
      content: text('Good'),
      excerpt: 'Good',
      updated_at: after.updated_at,
    });
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect((await client.anonymously(`/api/articles/${id}`)).body.data.title).toBe('Good');
    expect((await history(id))[0]).toEqual([4, 'Test', ['content', 'excerpt', 'title']]);
    // Again: nothing is left to change.
    expect((await restore(id, 1, {}, { 'if-match': String(headers.get('etag')) })).body.data).toEqual({ id });
    expect(await history(id)).toHaveLength(4);
    expect((await restore(id, 1, {}, { 'if-match': String(headers.get('etag')) })).body).toMatchObject({
      status: 412,
      code: 'precondition_failed',
    });
    expect((await restore(id, 2, { title: 'Other', is_published: false })).body.data).toMatchObject({
      title: 'Other',
      is_published: false,
    });
    expect((await restore(id, 9)).status).toBe(404);
    expect((await restore(id, 1, { color: 'red' })).body.errors).toMatchObject([{ field: 'color' }]);
  });

  test('says what no longer exists, and goes with another choice', async () => {
    const category = (await client.category({ name: 'Short-lived' })).id;
    await client.post('/api/tags', { name: 'Gone', slug: 'gone' });
    await client.post('/api/tags', { name: 'Stays', slug: 'stays' });
    const { id } = await client.article({ category_id: category, tags: ['gone', 'stays'] });
    await client.patch(`/api/articles/${id}`, { category_id: null, tags: [] });
    const tag = (await client.anonymously('/api/tags/by-slug/gone')).body.data.id;
    for (const path of [`/api/categories/${category}`, `/api/tags/${tag}`]) {
      expect((await client.delete(path)).status).toBe(200);
    }
    expect((await revision(id, 1)).article).toMatchObject({ category_id: category, tags: ['stays'] });
    const faults = async (json: object) => {
      const { status, body } = await restore(id, 1, json);
      return [status, body.errors?.map(({ field, code }: JsonBody) => [field, code])];
    };
    expect(await faults({})).toEqual([422, [['tags', 'not_found']]]);
    expect(await faults({ tags: ['stays'] })).toEqual([422, [['category_id', 'not_found']]]);
    expect((await restore(id, 1, { tags: ['stays'], category_id: null })).status).toBe(200);
    expect((await revision(id, 3)).article).toMatchObject({ category_id: null, tags: ['stays'] });
  });

  test('checks the HTML by the rules of today', async () => {
    const { id } = await client.article({});
    const unsafe = `${CONTENT}<script>alert(1)</script>`;
    await query('update content.article set content = $2 where id = $1', [id, unsafe]);
    await client.patch(`/api/articles/${id}`, { content: CONTENT });
    expect((await revision(id, 2)).article.content).toBe(unsafe);
    expect((await restore(id, 2)).body).toMatchObject({ status: 422, code: 'unsafe_html' });
    expect((await restore(id, 2, { content: CONTENT, excerpt: 'Safe' })).status).toBe(200);
    const trusting = await startContent(content.database.url, { CONTENT_HTML: 'trusted' });
    const trusted = new ContentClient(trusting.url, content.key);
    expect((await trusted.post(`/api/articles/${id}/revisions/2/restore`, {})).status).toBe(200);
    await trusting.close();
    expect((await client.detail(id)).content).toBe(unsafe);
  });

  test('of a draft takes the scope write, of what is published publish', async () => {
    const keys = new ApiKeyStore(db);
    const as = async (scope: 'read' | 'write', path: string) =>
      new ContentClient(content.url, (await keys.create({ name: scope, scope })).key).post(path, {});
    const { id } = await client.article({});
    const path = `/api/articles/${id}/revisions/1/restore`;
    expect((await as('read', path)).body).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect((await as('write', path)).status).toBe(200);
    await client.patch(`/api/articles/${id}`, { is_published: true });
    expect((await as('write', path)).body).toMatchObject({ status: 403, code: 'insufficient_scope' });
    await client.delete(`/api/articles/${id}`);
    expect((await as('write', `/api/articles/${id}/restore`)).body).toMatchObject({ status: 403 });
    expect((await client.anonymously(`/api/articles/${id}`)).status).toBe(404);
  });
});

test('writes at once make one revision each, in a row, and none is lost', async () => {
  const { id } = await client.article({ title: 'Contested' });
  const writes = Array.from({ length: 20 }, (_, index) =>
    index % 4 === 3 ? restore(id, 1) : client.patch(`/api/articles/${id}`, { excerpt: `By ${index}` }),
  );
  expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  const { body } = await client.send(`/api/articles/${id}/revisions?per_page=100`);
  const numbers = body.data.map(({ revision }: JsonBody) => revision);
  expect(numbers).toEqual(numbers.map((_: number, index: number) => numbers.length - index));
  const said = await Promise.all(
    numbers.map(async (number: number) => (await revision(id, number)).article.excerpt),
  );
  for (const index of [0, 1, 2, 4, 5, 6, 8]) expect(said).toContain(`By ${index}`);
  expect((await client.detail(id)).excerpt).toBe(said[0]);
});

describe('a deleted article', () => {
  const trash = async (): Promise<JsonBody[]> => (await client.send('/api/trash')).body.data;
  const back = (id: number, json?: object) =>
    client.send(`/api/articles/${id}/restore`, { method: 'POST', ...(json && { json }) });

  test('is gone for readers at once, and comes back as it was', async () => {
    await client.post('/api/tags', { name: 'Loved', slug: 'loved' });
    const category = (await client.category({ name: 'Loved ones' })).id;
    const { id } = await client.article({
      title: 'Loved',
      content: text('Loved'),
      category_id: category,
      tags: ['loved'],
      is_published: true,
    });
    await client.patch(`/api/articles/${id}`, { slug: 'much-loved' });
    const [before, changes] = [await client.detail(id), await history(id)];
    const reads = [`/api/articles/${id}`, '/api/articles/by-slug/much-loved', '/api/articles/by-slug/loved'];
    const lists = [
      '/api/articles?tag=loved',
      `/api/articles?category_id=${category}`,
      '/api/articles?q=loved&tag=loved',
    ];
    const counts = () =>
      Promise.all(lists.map(async (path) => (await client.anonymously(path)).body.meta.total as number));
    await expect.poll(counts).toEqual([1, 1, 1]);
    expect((await client.delete(`/api/articles/${id}`)).body).toEqual({
      status: 'success',
      message: 'Article deleted',
      data: null,
    });
    for (const path of [...reads, `/api/articles/${id}/revisions`])
      expect((await client.send(path)).status).toBe(404);
    expect(await counts()).toEqual([0, 0, 0]);
    expect((await client.delete(`/api/articles/${id}`)).status).toBe(404);
    expect((await trash())[0]).toEqual({
      id,
      title: 'Loved',
      slug: 'much-loved',
      featured_image: null,
      category_id: category,
      author: 'Test',
      is_published: true,
      published_at: before.published_at,
      deleted_at: expect.any(String),
      key: { prefix: content.key.slice(3, 11), name: 'Test' },
    });
    // Its slugs are kept for it.
    expect((await client.publish({ title: 'Loved' })).body.data.slug).toBe('loved-2');
    expect((await client.publish({ slug: 'much-loved' })).body).toMatchObject({
      status: 409,
      code: 'slug_taken',
    });

    const answers = await Promise.all([back(id), back(id), back(id)]);
    const restored = { id, title: 'Loved', slug: 'much-loved', is_published: true };
    for (const { status, body } of answers) expect([status, body.data]).toEqual([200, restored]);
    const after = await client.detail(id);
    expect(after).toEqual({ ...before, updated_at: after.updated_at });
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    await expect.poll(counts).toEqual([1, 1, 1]);
    const statuses = await Promise.all(reads.map(async (path) => (await client.anonymously(path)).status));
    expect(statuses).toEqual([200, 200, 308]);
    expect(await history(id)).toEqual([[3, 'Test', []], ...changes]);
    expect((await back(id)).body.data).toEqual(restored);
    expect((await history(id)).length).toBe(3);
    expect((await trash()).map((deleted) => deleted.id)).not.toContain(id);
    expect((await back(999999)).status).toBe(404);
    const [etag, ...others] = answers.map(({ headers }) => String(headers.get('etag')));
    expect(others).toEqual([etag, etag]);
    const write = { method: 'PATCH', json: { excerpt: 'Since' }, headers: { 'if-match': String(etag) } };
    expect((await client.send(`/api/articles/${id}`, write)).status).toBe(200);
    expect((await client.send(`/api/articles/${id}`, write)).status).toBe(412);
  });

  test('comes back as a draft, or without what no longer exists, if asked to', async () => {
    await client.post('/api/tags', { name: 'Fleeting', slug: 'fleeting' });
    const category = (await client.category({ name: 'Fleeting' })).id;
    const { id } = await client.article({ category_id: category, tags: ['fleeting'], is_published: true });
    await query('delete from content.article where id = $1', [id]);
    expect((await trash())[0]).toMatchObject({ id, key: null });
    const tag = (await client.anonymously('/api/tags/by-slug/fleeting')).body.data.id;
    expect((await client.delete(`/api/categories/${category}`)).status).toBe(200);
    expect((await client.delete(`/api/tags/${tag}`)).status).toBe(200);
    const fault = async (json?: object) =>
      (await back(id, json)).body.errors?.map(({ field }: JsonBody) => field);
    expect(await fault({ category_id: null })).toEqual(['tags']);
    expect(await fault({ tags: [] })).toEqual(['category_id']);
    expect(await fault({ tags: ['fleeting'] })).toEqual(['tags.0']);
    expect(await fault({ is_published: true })).toEqual(['is_published']);
    const { status, body } = await back(id, { category_id: null, tags: [], is_published: false });
    expect([status, body.data.is_published]).toEqual([200, false]);
    // The body of a repetition is checked like the first.
    expect((await back(id, { category_id: null, tags: [], is_published: false })).status).toBe(200);
    expect(await fault({ category_id: category })).toEqual(['category_id']);
    expect(await fault({ category_id: 2 ** 31 })).toEqual(['category_id']);
    expect(await fault({ tags: ['fleeting'] })).toEqual(['tags.0']);
    expect(await history(id)).toEqual([
      [2, 'Test', ['category_id', 'is_published', 'tags']],
      [1, 'Test', null],
    ]);
    expect((await revision(id, 1)).article).toMatchObject({ category_id: category, is_published: true });
  });

  test('comes back as a draft if it would have been taken back meanwhile', async () => {
    const { id } = await client.article({ is_published: true });
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    await client.patch(`/api/articles/${id}`, { unpublish_at: inAnHour });
    await client.delete(`/api/articles/${id}`);
    await query(
      `update content.deleted_article
       set members = members || jsonb_build_object('unpublish_at', now() - interval '1 minute')
       where article_id = $1`,
      [id],
    );
    expect((await back(id)).body.data.is_published).toBe(false);
    expect((await client.anonymously(`/api/articles/${id}`)).status).toBe(404);
    const { schedule } = (await client.send(`/api/articles/${id}?include=schedule`)).body.data;
    expect(schedule).toEqual({ publish_at: null, unpublish_at: null, release: null });
    // It was not shown for a moment either.
    const shown = `select from content.audit where action = 'article.published' and article_id = $1`;
    expect((await query(shown, [id])).rows).toHaveLength(1);
    // The other half of the deletion in the trail.
    const restored = `select key, detail -> 'is_published' as shown from content.audit
      where action = 'article.restored' and article_id = $1`;
    expect((await query(restored, [id])).rows).toEqual([{ key: content.key.slice(3, 11), shown: false }]);
  });

  test('that was never published gets the next slug if another has its own by now', async () => {
    const { id, slug } = await client.article({ title: 'Drafted' });
    await client.delete(`/api/articles/${id}`);
    expect((await client.article({ title: 'Drafted' })).slug).toBe(slug);
    expect((await back(id)).body.data.slug).toBe('drafted-2');
    expect(await history(id)).toEqual([
      [2, 'Test', ['slug']],
      [1, 'Test', null],
    ]);
    expect((await revision(id, 1)).article.slug).toBe(slug);
  });

  test('takes the defaults of columns that were added meanwhile', async () => {
    const { id } = await client.article({ title: 'From before' });
    await client.delete(`/api/articles/${id}`);
    await query(`update content.deleted_article set members = members - 'tag_ids' where article_id = $1`, [
      id,
    ]);
    expect((await back(id)).status).toBe(200);
    expect((await client.send(`/api/articles/${id}?include=tags`)).body.data.tags).toEqual([]);
  });

  test('is forgotten with all that belongs to it when its row is deleted', async () => {
    const { id } = await client.article({ title: 'Right to be forgotten', is_published: true });
    await client.patch(`/api/articles/${id}`, { slug: 'forgotten' });
    await client.delete(`/api/articles/${id}`);
    await query('delete from content.deleted_article where article_id = $1', [id]);
    expect((await back(id)).status).toBe(404);
    const { rows } = await query('select from content.article_revision where article_id = $1', [id]);
    expect(rows).toEqual([]);
    for (const slug of ['forgotten', 'right-to-be-forgotten']) {
      expect((await client.publish({ slug })).status).toBe(201);
    }
  });

  test('gives way to one that is inserted with its id, such as from an export', async () => {
    const { id } = await client.article({ title: 'Exported', is_published: true });
    await client.patch(`/api/articles/${id}`, { slug: 'exported-anew' });
    await client.delete(`/api/articles/${id}`);
    await query(
      `insert into content.article (id, title, slug, content, author, title_words) overriding system value
       values ($1, 'Exported', 'exported-anew', $2, 'SQL', '{}')`,
      [id, CONTENT],
    );
    expect(await history(id)).toEqual([[1, null, null]]);
    await client.patch(`/api/articles/${id}`, { slug: 'exported' });
    expect(await history(id)).toHaveLength(2);
    expect((await trash()).map((deleted) => deleted.id)).not.toContain(id);
  });

  test('is deleted for good: it cannot be restored, its slugs are free, and the trail says who did it', async () => {
    const made = await client.article({ title: 'For good', is_published: true });
    await client.patch(`/api/articles/${made.id}`, { slug: 'for-ever' });
    const { cursor } = (await client.send('/api/sync/snapshot')).body.meta;
    await client.delete(`/api/articles/${made.id}`);
    expect((await client.send('/api/trash')).body.meta.total).toBe((await trash()).length);
    const erase = () => client.delete(`/api/trash/${made.id}`);
    expect(await erase()).toMatchObject({
      status: 200,
      body: { status: 'success', message: 'Article deleted for good', data: null },
    });
    const again = await erase();
    expect([again.status, again.body.code]).toEqual([404, 'not_found']);
    expect((await trash()).map(({ id }) => id)).not.toContain(made.id);
    expect((await back(made.id)).status).toBe(404);
    const slugs = ['for-ever', 'for-good'].map((slug) => client.article({ title: 'Another', slug }));
    for (const { slug } of await Promise.all(slugs)) expect(['for-ever', 'for-good']).toContain(slug);
    const { body } = await client.send(`/api/sync/changes?cursor=${encodeURIComponent(cursor)}`);
    expect(body.data).toMatchObject([{ op: 'remove', kind: 'article', id: made.id }]);
    const { rows } = await query(
      `select action, key, detail, (select count(*) from content.article_revision where article_id = $1)::integer as kept
       from content.audit where article_id = $1 order by id desc limit 1`,
      [made.id],
    );
    const detail = { slug: 'for-ever', title: 'For good' };
    expect(rows).toEqual([{ action: 'article.erased', key: content.key.slice(3, 11), detail, kept: 0 }]);
  });

  test('an article that is not deleted is not in the trash', async () => {
    const { id } = await client.article({ title: 'Alive' });
    expect((await client.delete(`/api/trash/${id}`)).status).toBe(404);
    expect((await client.detail(id)).title).toBe('Alive');
  });

  test('the trash is emptied of what was in it when somebody looked', async () => {
    for (const title of ['Seen', 'Seen too'])
      await client.delete(`/api/articles/${(await client.article({ title })).id}`);
    const { data, meta } = (await client.send('/api/trash')).body;
    const late = (await client.article({ title: 'Deleted later' })).id;
    await query(`select pg_sleep(0.002)`);
    await client.delete(`/api/articles/${late}`);
    const seen = await client.delete(`/api/trash?deleted_until=${data[0].deleted_at}`);
    expect(seen.body).toEqual({ status: 'success', message: 'Trash emptied', data: { deleted: meta.total } });
    expect((await trash()).map(({ id }) => id)).toEqual([late]);
    expect((await client.delete('/api/trash')).body.data).toEqual({ deleted: 1 });
    expect((await client.send('/api/trash')).body).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await client.delete('/api/trash')).body.data).toEqual({ deleted: 0 });
    expect((await client.delete('/api/trash?deleted_until=yesterday')).status).toBe(400);
  });

  test('is listed in pages', async () => {
    const ids: number[] = [];
    for (const title of ['One', 'Two', 'Three']) ids.unshift((await client.article({ title })).id);
    for (const id of ids.toReversed()) await client.delete(`/api/articles/${id}`);
    const first = (await client.send('/api/trash?per_page=2')).body;
    const second = (await client.send(`/api/trash?per_page=2&cursor=${first.meta.next_cursor}`)).body;
    expect([...first.data, ...second.data].map(({ id }: JsonBody) => id).slice(0, 3)).toEqual(ids);
  });
});

test('keeps as many revisions for as long as the settings say, and nothing of what it keeps changes', async () => {
  const made = [await client.article({ content: text('0') }), await client.article({ content: text('0') })];
  const [many, old] = made.map(({ id }) => id as number) as [number, number];
  for (const id of [many, old]) {
    for (let n = 1; n <= 6; n += 1) {
      await client.patch(
        `/api/articles/${id}`,
        n % 2 === 0 ? { content: text(`${n}`) } : { excerpt: `${n}` },
      );
    }
  }
  const whole = await Promise.all([5, 6, 7].map((number) => revision(many, number)));
  // Their times are those of transactions, which need not be in the order of the numbers.
  await query(
    `update content.article_revision set replaced_at = now() - interval '9 days' where article_id = $1 and number = 4`,
    [old],
  );
  const gone = (await client.article({ is_published: true })).id;
  await client.delete(`/api/articles/${gone}`);
  await query(
    `update content.deleted_article set deleted_at = now() - interval '9 days' where article_id = $1`,
    [gone],
  );
  expect(await prune(db, { revisions: 100, days: 10, trashDays: 10 })).toEqual({ revisions: 0, articles: 0 });
  const held = await content.database.pool.connect();
  await held.query('begin');
  await held.query(`select pg_advisory_xact_lock(hashtextextended('prune revisions: ', 0))`);
  expect(await prune(db, { revisions: 1, days: 1, trashDays: 1 })).toEqual({ revisions: 0, articles: 0 });
  await held.query('commit');
  held.release();

  const log = memoryLog('content');
  const kept = { revisions: 3, days: 8, trashDays: 8 };
  const pruning = openPruning({ revisions: (signal) => prune(db, kept, signal) }, log.log, 1);
  await until('it has been pruned', async () => log.events().length > 0);
  await pruning.stop();
  expect(log.events()).toMatchObject([{ msg: 'revisions_pruned', articles: 1 }]);
  const numbers = async (id: number) => (await history(id)).map((entry) => (entry as unknown[])[0]);
  expect(await numbers(many)).toEqual([7, 6, 5]);
  expect(await numbers(old)).toEqual([7, 6, 5]);
  expect(await revision(many, 4)).toEqual({ status: 404 });
  expect(await revision(many, 5)).toEqual({ ...whole[0], changed: null });
  expect([await revision(many, 6), await revision(many, 7)]).toEqual(whole.slice(1));
  expect((await client.post(`/api/articles/${gone}/restore`, {})).status).toBe(404);
  await prune(db, { revisions: 1, days: 1, trashDays: 30 });
  expect(await numbers(old)).toEqual([7]);
});
