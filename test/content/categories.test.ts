import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import type { ContentClient } from '../support/content-client.ts';
import type { JsonBody } from '../support/http.ts';

const LIST_MEMBERS = [
  'id',
  'name',
  'slug',
  'description',
  'article_count',
  'created_at',
  'updated_at',
].sort();

const DETAIL_MEMBERS = ['id', 'name', 'slug', 'description', 'articles', 'created_at', 'updated_at'].sort();

const ARTICLE_MEMBERS = [
  ...['id', 'title', 'slug', 'excerpt', 'featured_image', 'alt_text', 'author', 'published_at'],
].sort();

let fixture: ContentFixture;
let client: ContentClient;

beforeAll(async () => {
  fixture = await contentFixture();
  client = fixture.client;
});

afterAll(() => fixture.close());

/** A category as the list shows it. */
async function listed(id: number): Promise<JsonBody> {
  const { body } = await client.anonymously('/api/categories');
  return body.data.find((category: JsonBody) => category.id === id);
}

/** A category as its detail shows it. */
async function detail(id: number): Promise<JsonBody> {
  return (await client.anonymously(`/api/categories/${id}`)).body.data;
}

describe('GET /api/categories', () => {
  test('has every category by name, with exactly the members of a list item and no meta', async () => {
    const { id } = await client.category({ name: 'Zoology', description: 'Animals' });
    const { id: first } = await client.category({ name: 'Astronomy' });
    const { status, body } = await client.anonymously('/api/categories');
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'message', 'status']);
    expect(body.status).toBe('success');
    for (const category of body.data) expect(Object.keys(category).sort()).toEqual(LIST_MEMBERS);
    const order = body.data.map((category: JsonBody) => category.id);
    expect(order.indexOf(first)).toBeLessThan(order.indexOf(id));
    expect(await listed(id)).toMatchObject({
      name: 'Zoology',
      slug: 'zoology',
      description: 'Animals',
      article_count: 0,
    });
    expect((await listed(first)).description).toBe(null);
  });

  test('article_count counts published articles and follows every change at once', async () => {
    const { id } = await client.category({ name: 'Counted' });
    const { id: other } = await client.category({ name: 'Other' });
    const counts = async () => [(await listed(id)).article_count, (await listed(other)).article_count];
    const { id: article } = await client.article({ category_id: id });
    expect(await counts()).toEqual([0, 0]);
    await client.patch(`/api/articles/${article}`, { is_published: true });
    expect(await counts()).toEqual([1, 0]);
    await client.patch(`/api/articles/${article}`, { category_id: other });
    expect(await counts()).toEqual([0, 1]);
    await client.patch(`/api/articles/${article}`, { category_id: null });
    expect(await counts()).toEqual([0, 0]);
    await client.patch(`/api/articles/${article}`, { category_id: id });
    await client.delete(`/api/articles/${article}`);
    expect(await counts()).toEqual([0, 0]);
  });

  test('has no pages', async () => {
    const { status, body } = await client.anonymously('/api/categories?page=1');
    expect(status).toBe(400);
    expect(body.detail).toContain('page');
  });
});

describe('GET /api/categories/{id}', () => {
  test('has exactly the members of the detail, its published articles newest first, and meta', async () => {
    const { id } = await client.category({ name: 'Detailed', description: 'With articles' });
    const articles = [];
    for (const title of ['One', 'Two', 'Three']) {
      articles.push((await client.article({ title, category_id: id, is_published: true })).id);
    }
    await client.article({ title: 'Draft', category_id: id });
    const { pool } = fixture.database;
    await pool.query(
      `update content.article set published_at = timestamptz '2026-01-01' + make_interval(days => id)
       where category_id = $1 and is_published`,
      [id],
    );
    const { status, body } = await client.anonymously(`/api/categories/${id}`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'message', 'meta', 'status']);
    expect(Object.keys(body.data).sort()).toEqual(DETAIL_MEMBERS);
    expect(body.data).toMatchObject({ id, name: 'Detailed', slug: 'detailed', description: 'With articles' });
    for (const article of body.data.articles) expect(Object.keys(article).sort()).toEqual(ARTICLE_MEMBERS);
    expect(body.data.articles.map((article: JsonBody) => article.id)).toEqual(articles.toReversed());
    expect(body.meta).toEqual({ page: 1, per_page: 20, total: 3, total_pages: 1 });

    const second = await client.anonymously(`/api/categories/${id}?page=2&per_page=2`);
    expect(second.body.data.articles.map((article: JsonBody) => article.id)).toEqual(articles.slice(0, 1));
    expect(second.body.meta).toEqual({ page: 2, per_page: 2, total: 3, total_pages: 2 });
    const past = await client.anonymously(`/api/categories/${id}?page=9`);
    expect(past.status).toBe(200);
    expect(past.body.data.articles).toEqual([]);
    expect(past.body.meta).toEqual({ page: 9, per_page: 20, total: 3, total_pages: 1 });
  });

  test('does not show drafts, even with a key', async () => {
    const { id } = await client.category({ name: 'Only a draft' });
    await client.article({ category_id: id });
    const { body } = await client.send(`/api/categories/${id}`);
    expect(body).toMatchObject({ data: { articles: [] }, meta: { total: 0, total_pages: 0 } });
  });

  test.each(['per_page=0', 'per_page=101', 'per_page=x', 'page=0', 'status=all', 'category_id=1'])(
    '?%s is 400 naming the parameter',
    async (query) => {
      const { id } = await client.category({ name: 'Strict' });
      const { status, body } = await client.anonymously(`/api/categories/${id}?${query}`);
      expect(status).toBe(400);
      expect(body.detail).toContain(query.split('=')[0]);
    },
  );
});

describe('POST /api/categories', () => {
  test('answers 201 with id, name and slug', async () => {
    const { status, body } = await client.post('/api/categories', { name: 'Émigré Kitchen' });
    expect(status).toBe(201);
    expect(body).toEqual({
      status: 'success',
      message: 'Category created',
      data: { id: expect.any(Number), name: 'Émigré Kitchen', slug: 'emigre-kitchen' },
    });
  });

  test('keeps the given slug', async () => {
    const { slug } = await client.category({ name: 'Given', slug: 'chosen-1' });
    expect(slug).toBe('chosen-1');
  });

  test('makes -2 and -3 from the same name, skipping given slugs', async () => {
    await client.category({ name: 'Else', slug: 'twin-2' });
    const slugs = [];
    for (let n = 0; n < 3; n += 1) slugs.push((await client.category({ name: 'Twin' })).slug);
    expect(slugs).toEqual(['twin', 'twin-3', 'twin-4']);
  });

  test('a given slug that is taken is 409 slug_taken, with nothing created', async () => {
    await client.category({ name: 'First', slug: 'taken' });
    const { status, body } = await client.post('/api/categories', { name: 'Never made', slug: 'taken' });
    expect(status).toBe(409);
    expect(body.code).toBe('slug_taken');
    const { text } = await client.anonymously('/api/categories');
    expect(text).not.toContain('Never made');
  });
});

describe('PUT /api/categories/{id}', () => {
  test('replaces the category and returns id, name and slug', async () => {
    const { id } = await client.category({ name: 'Before', description: 'Old' });
    const json = { name: 'After', slug: 'put-here', description: null };
    const { status, body } = await client.put(`/api/categories/${id}`, json);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'success',
      message: 'Category updated',
      data: { id, name: 'After', slug: 'put-here' },
    });
    expect(await detail(id)).toMatchObject(json);
  });

  test('keeps the slug if it is omitted, because it is a public address', async () => {
    const { id } = await client.category({ name: 'Different', slug: 'different-slug' });
    const { body } = await client.put(`/api/categories/${id}`, { name: 'Renamed', description: null });
    expect(body.data).toEqual({ id, name: 'Renamed', slug: 'different-slug' });
    expect(await detail(id)).toMatchObject({ name: 'Renamed', slug: 'different-slug' });
  });

  test('requires name and description', async () => {
    const { id } = await client.category({ name: 'Whole' });
    const { status, body } = await client.put(`/api/categories/${id}`, { slug: 'whole' });
    expect(status).toBe(422);
    expect(body.errors.map((error: JsonBody) => [error.field, error.code])).toEqual([
      ['name', 'required'],
      ['description', 'required'],
    ]);
  });

  test('the slug of another category is 409, its own is not', async () => {
    await client.category({ name: 'Holder', slug: 'held' });
    const { id, slug } = await client.category({ name: 'Seeker' });
    const taken = await client.put(`/api/categories/${id}`, { name: 'x', slug: 'held', description: null });
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_taken']);
    const own = await client.put(`/api/categories/${id}`, { name: 'x', slug, description: null });
    expect(own.status).toBe(200);
  });
});

describe('PATCH /api/categories/{id}', () => {
  test('changes the members sent and returns id and exactly those', async () => {
    const { id, slug } = await client.category({ name: 'Old name', description: 'Same' });
    const before = await listed(id);
    const { status, body } = await client.patch(`/api/categories/${id}`, {
      name: 'New name',
      description: 'Same',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'success',
      message: 'Category updated',
      data: { id, name: 'New name' },
    });
    const after = await listed(id);
    expect(after).toEqual({ ...before, name: 'New name', updated_at: after.updated_at });
    expect(after.updated_at > before.updated_at).toBe(true);
    expect(after.slug).toBe(slug);
    const emptied = await client.patch(`/api/categories/${id}`, { description: null });
    expect(emptied.body.data).toEqual({ id, description: null });
  });

  test('changes the slug only if it is sent; a taken one is 409', async () => {
    await client.category({ name: 'Elsewhere', slug: 'elsewhere' });
    const { id } = await client.category({ name: 'Moving' });
    const moved = await client.patch(`/api/categories/${id}`, { slug: 'moved' });
    expect(moved.body.data).toEqual({ id, slug: 'moved' });
    const taken = await client.patch(`/api/categories/${id}`, { slug: 'elsewhere' });
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_taken']);
  });

  test('an empty object is 422', async () => {
    const { id } = await client.category({ name: 'Untouched' });
    expect((await client.patch(`/api/categories/${id}`, {})).status).toBe(422);
  });
});

describe('picture and position', () => {
  const LOOK = 'include=picture,position';
  const picture = 'https://media.example/harbour.jpg';

  test('are shown only with include, and kept by a PUT without them', async () => {
    const { id } = await client.category({ name: 'Pictured', picture, position: 7 });
    expect(Object.keys(await listed(id)).sort()).toEqual(LIST_MEMBERS);
    expect(Object.keys(await detail(id)).sort()).toEqual(DETAIL_MEMBERS);
    const shown = async (path: string) => (await client.anonymously(path)).body.data;
    const ofList = async (query: string) =>
      (await shown(`/api/categories?${query}`)).find((one: JsonBody) => one.id === id);
    expect(await ofList(LOOK)).toMatchObject({ picture, position: 7 });
    expect(await ofList('include=picture')).toMatchObject({ picture });
    expect(await shown(`/api/categories/${id}?${LOOK}`)).toMatchObject({ picture, position: 7 });
    expect(await shown(`/api/categories/by-slug/pictured?${LOOK}`)).toMatchObject({ picture });
    await client.put(`/api/categories/${id}`, { name: 'Pictured', description: null });
    expect(await ofList(LOOK)).toMatchObject({ picture, position: 7 });
    const { body } = await client.patch(`/api/categories/${id}`, { picture: null, position: null });
    expect(body.data).toEqual({ id, picture: null, position: null });
    const unknown = await client.anonymously('/api/categories?include=links');
    expect([unknown.status, unknown.body.detail]).toEqual([
      400,
      expect.stringContaining('picture, position'),
    ]);
  });

  test('a position is the place in the list; those without follow by name', async () => {
    const make = async (name: string, position?: number) =>
      (await client.category({ name, ...(position && { position }) })).id;
    const ids = [await make('Z last'), await make('A last'), await make('Second', 2), await make('First', 1)];
    const order = async () => {
      const { body } = await client.anonymously('/api/categories');
      return body.data.map(({ id }: JsonBody) => id).filter((id: number) => ids.includes(id));
    };
    expect(await order()).toEqual([ids[3], ids[2], ids[1], ids[0]]);
    await client.patch(`/api/categories/${ids[0]}`, { position: 1 });
    await client.patch(`/api/categories/${ids[3]}`, { position: 3 });
    expect(await order()).toEqual([ids[0], ids[2], ids[3], ids[1]]);
  });

  test.each([
    [{ position: 0 }, 'position'],
    [{ position: 1.5 }, 'position'],
    [{ position: 100_001 }, 'position'],
    [{ position: '1' }, 'position'],
    [{ picture: 'harbour.jpg' }, 'picture'],
    [{ picture: `https://media.example/${'x'.repeat(500)}` }, 'picture'],
  ])('%o is 422', async (more, field) => {
    const { status, body } = await client.post('/api/categories', { name: 'Wrong', ...more });
    expect([status, body.errors[0].field]).toEqual([422, field]);
  });

  test('tags have neither', async () => {
    expect((await client.post('/api/tags', { name: 'Placed', position: 1 })).status).toBe(422);
  });

  test('a write that changes only the picture is seen by If-Match', async () => {
    const { id } = await client.category({ name: 'Matched' });
    const read = await client.send(`/api/categories/${id}`);
    await client.patch(`/api/categories/${id}`, { picture });
    const headers = { 'if-match': read.headers.get('etag') ?? '' };
    const json = { name: 'Lost' };
    const { status } = await client.send(`/api/categories/${id}`, { method: 'PATCH', json, headers });
    expect(status).toBe(412);
  });
});

describe('DELETE /api/categories/{id}', () => {
  test('answers with data null; then the category is gone', async () => {
    const { id } = await client.category({ name: 'Short-lived' });
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await client.send(`/api/categories/${id}`, { method: 'DELETE', headers });
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'success', message: 'Category deleted', data: null });
    expect((await client.anonymously(`/api/categories/${id}`)).status).toBe(404);
    expect(await listed(id)).toBe(undefined);
  });

  test.each([
    ['a published article', true],
    ['a draft', false],
  ])('is 409 while it contains %s', async (_what, is_published) => {
    const { id } = await client.category({ name: 'Occupied' });
    const { id: article } = await client.article({ category_id: id, is_published });
    const refused = await client.delete(`/api/categories/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ status: 409, code: 'category_not_empty' });
    expect((await client.anonymously(`/api/categories/${id}`)).status).toBe(200);
    await client.delete(`/api/articles/${article}`);
    expect((await client.delete(`/api/categories/${id}`)).status).toBe(200);
  });
});

describe('an unknown id', () => {
  test.each([
    ['GET', undefined],
    ['PUT', { name: 'x', description: null }],
    ['PATCH', { name: 'x' }],
    ['DELETE', undefined],
  ])('%s is 404', async (method, json) => {
    for (const id of ['2147483647', '2147483648']) {
      const { status, body } = await client.send(`/api/categories/${id}`, { method, json });
      expect(status).toBe(404);
      expect(body.code).toBe('not_found');
    }
  });
});
