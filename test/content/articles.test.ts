import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { CONTENT, type ContentClient, wholeArticle } from '../support/content-client.ts';
import type { JsonBody, JsonValue } from '../support/http.ts';

/** ISO 8601 with an offset. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const LIST_MEMBERS = [
  ...['id', 'title', 'slug', 'excerpt', 'featured_image', 'category', 'author', 'published_at'],
].sort();

const DETAIL_MEMBERS = [
  ...['id', 'title', 'slug', 'content', 'excerpt', 'featured_image', 'alt_text', 'meta_title'],
  ...['meta_description', 'canonical_url', 'is_published', 'category', 'author', 'related_articles'],
  ...['published_at', 'created_at', 'updated_at'],
].sort();

let fixture: ContentFixture;
let client: ContentClient;

beforeAll(async () => {
  fixture = await contentFixture();
  client = fixture.client;
});

afterAll(() => fixture.close());

/** The ids of a list. */
function ids(data: JsonValue): number[] {
  return data.map(({ id }: JsonBody) => id);
}

/** A separate category for each test, so that tests of one service do not see each other's articles. */
async function newCategory(): Promise<number> {
  return (await client.category({ name: 'Category' })).id;
}

/** Creates published articles one after the other, so that the last is the newest. */
async function publish(bodies: JsonBody[]): Promise<number[]> {
  const created: number[] = [];
  for (const body of bodies) {
    const { id } = await client.article({ is_published: true, ...body });
    await fixture.database.pool.query(
      `update content.article set published_at = timestamptz '2026-01-01' + make_interval(secs => $1) where id = $1`,
      [id],
    );
    created.push(id);
  }
  return created;
}

describe('POST /api/articles', () => {
  test('answers 201 with id, title, slug and is_published', async () => {
    const { status, body, headers } = await client.post('/api/articles', {
      title: 'Made Here',
      content: CONTENT,
    });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(body).toEqual({
      status: 'success',
      message: 'Article created',
      data: { id: expect.any(Number), title: 'Made Here', slug: 'made-here', is_published: false },
    });
  });

  test('keeps every member', async () => {
    const category = await newCategory();
    const members = {
      title: 'Every member',
      content: CONTENT,
      excerpt: 'An excerpt',
      featured_image: 'https://images.example/a.jpg',
      alt_text: 'A picture',
      meta_title: 'Meta title',
      meta_description: 'Meta description',
      canonical_url: 'https://elsewhere.example/article',
      is_published: true,
      author: 'Somebody Else',
    };
    const { id } = await client.article({ ...members, category_id: category });
    const data = await client.detail(id);
    expect(data).toMatchObject({ ...members, category: { id: category, name: 'Category' } });
    expect(Object.keys(data.category).sort()).toEqual(['id', 'name', 'slug']);
  });

  test('leaves omitted members null, and a draft without published_at', async () => {
    const { id } = await client.article();
    expect(await client.detail(id)).toMatchObject({
      excerpt: null,
      featured_image: null,
      alt_text: null,
      meta_title: null,
      meta_description: null,
      canonical_url: null,
      category: null,
      is_published: false,
      published_at: null,
      related_articles: [],
    });
  });

  test('takes the author from the key unless the body names one', async () => {
    const ofKey = await client.article();
    const ofBody = await client.article({ author: 'Ada' });
    expect((await client.detail(ofKey.id)).author).toBe('Test');
    expect((await client.detail(ofBody.id)).author).toBe('Ada');
  });

  test('sets published_at when it publishes', async () => {
    const { id, is_published } = await client.article({ is_published: true });
    expect(is_published).toBe(true);
    expect((await client.detail(id)).published_at).toMatch(TIMESTAMP);
  });
});

describe('GET /api/articles/{id}', () => {
  test('has exactly the members of the detail', async () => {
    const { id } = await client.article({ is_published: true, category_id: await newCategory() });
    const { status, body, headers } = await client.anonymously(`/api/articles/${id}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(body).sort()).toEqual(['data', 'message', 'status']);
    expect(body.status).toBe('success');
    expect(Object.keys(body.data).sort()).toEqual(DETAIL_MEMBERS);
    for (const member of ['published_at', 'created_at', 'updated_at']) {
      expect(body.data[member]).toMatch(TIMESTAMP);
    }
  });

  test('a draft is 404 without a key and readable with one', async () => {
    const { id } = await client.article();
    expect((await client.anonymously(`/api/articles/${id}`)).status).toBe(404);
    expect((await client.send(`/api/articles/${id}`)).status).toBe(200);
  });

  test('an article that becomes a draft again disappears at once', async () => {
    const { id } = await client.article({ is_published: true });
    expect((await client.anonymously(`/api/articles/${id}`)).status).toBe(200);
    await client.patch(`/api/articles/${id}`, { is_published: false });
    expect((await client.anonymously(`/api/articles/${id}`)).status).toBe(404);
  });

  test('shows a change at once, including a renamed category', async () => {
    const category = await newCategory();
    const { id } = await client.article({ is_published: true, category_id: category });
    const read = async () => (await client.anonymously(`/api/articles/${id}`)).body.data;
    expect((await read()).category.name).toBe('Category');
    await client.patch(`/api/categories/${category}`, { name: 'Renamed' });
    expect((await read()).category.name).toBe('Renamed');
    await client.patch(`/api/articles/${id}`, { excerpt: 'New' });
    expect((await read()).excerpt).toBe('New');
  });
});

describe('related articles', () => {
  test('articles with words in common come first, then the newest; at most five', async () => {
    const category_id = await newCategory();
    const [subject, oldest, , rain, rainInMay, , newest] = await publish([
      { category_id, title: 'Rain in May' },
      { category_id, title: 'Nothing shared, oldest' },
      { category_id, title: 'Nothing shared' },
      { category_id, title: 'Rain' },
      { category_id, title: 'rain IN may, again' },
      { category_id, title: 'Nothing shared, newer' },
      { category_id, title: 'Nothing shared, newest' },
    ]);
    const { related_articles } = await client.detail(Number(subject));
    expect(related_articles).toHaveLength(5);
    expect(ids(related_articles).slice(0, 3)).toEqual([rainInMay, rain, newest]);
    expect(ids(related_articles)).not.toContain(oldest);
    expect(ids(related_articles)).not.toContain(subject);
    expect(Object.keys(related_articles[0]).sort()).toEqual(['id', 'slug', 'title']);
  });

  test('drafts, other categories and articles without a category are left out', async () => {
    const [category_id, other] = [await newCategory(), await newCategory()];
    const [subject] = await publish([{ category_id, title: 'Same words' }]);
    await client.article({ category_id, title: 'Same words' });
    await publish([{ category_id: other, title: 'Same words' }, { title: 'Same words' }]);
    expect((await client.detail(Number(subject))).related_articles).toEqual([]);
    const [alone] = await publish([{ title: 'Same words' }]);
    expect((await client.detail(Number(alone))).related_articles).toEqual([]);
  });

  test('words are found in scripts without spaces', async () => {
    const category_id = await newCategory();
    const [subject, shared] = await publish([
      { category_id, title: '東京の天気' },
      { category_id, title: '東京の電車' },
      { category_id, title: '大阪' },
    ]);
    expect(ids((await client.detail(Number(subject))).related_articles)[0]).toBe(shared);
  });

  test('change when the neighbour does', async () => {
    const category_id = await newCategory();
    const [subject, neighbour] = await publish([{ category_id }, { category_id }]);
    const related = async () =>
      (await client.anonymously(`/api/articles/${subject}`)).body.data.related_articles;
    expect(ids(await related())).toEqual([neighbour]);
    await client.delete(`/api/articles/${neighbour}`);
    expect(await related()).toEqual([]);
  });
});

describe('include=related', () => {
  const cards = async (id: number | undefined, most = 5) => {
    const { body } = await client.anonymously(`/api/articles/${id}?include=related:${most}`);
    return body.data.related;
  };
  const tag = async (name: string): Promise<string> =>
    (await client.post('/api/tags', { name })).body.data.slug;

  test('what shares rarer tags comes first, then the newer: each once, never itself or a draft', async () => {
    const [rare, common] = [await tag('Rare'), await tag('Common')];
    const author = (await client.post('/api/authors', { name: 'Of Both' })).body.data.slug;
    const category_id = await newCategory();
    const [both, ofRare, ofCommon, byAuthor, inCategory, newer, subject] = await publish([
      { title: 'Both', tags: [common, rare], category_id, authors: [author] },
      { title: 'Rare', tags: [rare] },
      { title: 'Common', tags: [common] },
      { title: 'By the author', authors: [author] },
      { title: 'In the category', category_id, excerpt: 'Summary', alt_text: 'A picture' },
      { title: 'Common, newer', tags: [common] },
      { title: 'Subject', tags: [rare, common], category_id, authors: [author] },
    ]);
    const elsewhere = await publish([1, 2, 3].map((n) => ({ title: `Elsewhere ${n}`, tags: [common] })));
    await client.article({ title: 'Draft', tags: [rare, common], category_id });

    const related = await cards(subject, 10);
    expect(ids(related).slice(0, 2)).toEqual([both, ofRare]);
    expect(ids(related).slice(2, 7)).toEqual([...elsewhere.toReversed(), newer, ofCommon]);
    expect(ids(related).slice(7)).toEqual([inCategory, byAuthor]);
    const inList = (await client.anonymously(`/api/articles?ids=${inCategory}`)).body.data[0];
    const card = related.find(({ id }: JsonBody) => id === inCategory);
    expect(card).toEqual({ ...inList, alt_text: 'A picture' });
    expect(ids(await cards(subject, 1))).toEqual([both]);
  });

  test('a number from 1 to 10 is asked for', async () => {
    const [id] = await publish([{ title: 'Alone' }]);
    expect(await cards(id)).toEqual([]);
    for (const include of ['related', 'related:0', 'related:11', 'related:5.5']) {
      const { status, body } = await client.anonymously(`/api/articles/${id}?include=${include}`);
      expect([status, body.detail]).toEqual([400, expect.stringContaining('related:1 to related:10')]);
    }
  });
});

describe('GET /api/articles', () => {
  test('has exactly the members of a list item, and meta', async () => {
    const category_id = await newCategory();
    await publish([{ category_id }]);
    const { status, body } = await client.anonymously(`/api/articles?category_id=${category_id}`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'message', 'meta', 'status']);
    expect(body.meta).toEqual({ page: 1, per_page: 20, total: 1, total_pages: 1 });
    expect(Object.keys(body.data[0]).sort()).toEqual(LIST_MEMBERS);
    expect(body.data[0].category).toEqual({
      id: category_id,
      name: 'Category',
      slug: expect.stringMatching(/^category/),
    });
  });

  test('newest published_at first, id breaking ties', async () => {
    const category_id = await newCategory();
    const [a, b, c] = await publish([{ category_id }, { category_id }, { category_id }]);
    await fixture.database.pool.query(
      `update content.article set published_at = '2026-06-01' where id = any($1)`,
      [[a, b]],
    );
    const { body } = await client.anonymously(`/api/articles?category_id=${category_id}&page=1`);
    expect(ids(body.data)).toEqual([b, a, c]);
  });

  test('pages of 1 to 100, every article on exactly one; past the end is empty', async () => {
    const category_id = await newCategory();
    const created = await publish([{ category_id }, { category_id }, { category_id }]);
    const page = (query: string) => client.anonymously(`/api/articles?category_id=${category_id}&${query}`);
    const seen = [];
    for (const number of [1, 2, 3]) {
      const { body } = await page(`per_page=1&page=${number}`);
      expect(body.meta).toEqual({ page: number, per_page: 1, total: 3, total_pages: 3 });
      seen.push(...ids(body.data));
    }
    expect(seen).toEqual(created.toReversed());
    expect(ids((await page('per_page=2&page=2')).body.data)).toEqual([created[0]]);
    expect(ids((await page('per_page=100')).body.data)).toEqual(created.toReversed());
    const past = await page('page=2');
    expect(past.status).toBe(200);
    expect(past.body).toMatchObject({ data: [], meta: { page: 2, per_page: 20, total: 3, total_pages: 1 } });
    expect((await page(`page=${Number.MAX_SAFE_INTEGER}&per_page=100`)).body.data).toEqual([]);
  });

  test.each([
    ...['per_page=0', 'per_page=101', 'per_page=x', 'per_page=', 'per_page=1.5', 'per_page=-1'],
    ...['page=0', 'page=-1', 'page=x', 'page=', 'page=1e3', 'page=0x10', 'page=01', 'page=99999999999999999'],
    ...['category_id=0', 'category_id=-1', 'category_id=x', 'category_id=', 'status=', 'status=Draft'],
  ])('?%s is 400 naming the parameter', async (query) => {
    const { status, body } = await client.send(`/api/articles?${query}`);
    expect(status).toBe(400);
    expect(body.code).toBe('invalid_request');
    expect(body.detail).toContain(query.split('=')[0]);
  });

  test('an unknown category_id gives an empty list', async () => {
    for (const id of [2_147_483_647, 2_147_483_648, 10n ** 30n]) {
      const { status, body } = await client.anonymously(`/api/articles?category_id=${id}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ data: [], meta: { page: 1, total: 0, total_pages: 0 } });
    }
  });

  test('drafts are listed only with a key and only when asked for', async () => {
    const category_id = await newCategory();
    const [published] = await publish([{ category_id }]);
    const { id: draft } = await client.article({ category_id });
    const list = (status: string) => client.send(`/api/articles?category_id=${category_id}${status}`);
    expect(ids((await list('')).body.data)).toEqual([published]);
    expect(ids((await list('&status=published')).body.data)).toEqual([published]);
    expect(ids((await list('&status=draft')).body.data)).toEqual([draft]);
    const all = (await list('&status=all')).body;
    expect(ids(all.data).sort()).toEqual([published, draft].sort());
    expect(all.meta.total).toBe(2);
    const open = await client.anonymously(`/api/articles?category_id=${category_id}&status=published`);
    expect(ids(open.body.data)).toEqual([published]);
    for (const status of ['draft', 'all']) {
      const refused = await client.anonymously(`/api/articles?status=${status}`);
      expect(refused.status).toBe(401);
      expect(refused.body.code).toBe('unauthorized');
    }
  });
});

describe('publication', () => {
  test('published_at is set once and kept', async () => {
    const { id } = await client.article();
    const path = `/api/articles/${id}`;
    const { body: published } = await client.patch(path, { is_published: true });
    expect(published.data).toEqual({
      id,
      is_published: true,
      published_at: expect.stringMatching(TIMESTAMP),
    });
    const first = published.data.published_at;
    const { body: withdrawn } = await client.patch(path, { is_published: false });
    expect(withdrawn.data).toEqual({ id, is_published: false });
    expect((await client.detail(id)).published_at).toBe(first);
    await client.put(path, wholeArticle({ is_published: true }));
    expect((await client.detail(id)).published_at).toBe(first);
  });

  test('the slug follows the title until the first publication and does not change after that', async () => {
    const { id, slug } = await client.article({ title: 'First words' });
    const path = `/api/articles/${id}`;
    expect(slug).toBe('first-words');
    expect((await client.patch(path, { title: 'Second words' })).body.data).toEqual({
      id,
      title: 'Second words',
      slug: 'second-words',
    });
    const published = await client.patch(path, { title: 'Third words', is_published: true });
    expect(published.body.data.slug).toBe('third-words');
    expect((await client.patch(path, { title: 'Fourth words' })).body.data).toEqual({
      id,
      title: 'Fourth words',
    });
    await client.patch(path, { is_published: false });
    const { body } = await client.put(path, wholeArticle({ title: 'Fifth words' }));
    expect(body.data).toEqual({ id, title: 'Fifth words', slug: 'third-words' });
  });

  test('a draft keeps its numbered slug if the change of its title does not affect the slug', async () => {
    await client.article({ title: 'Numbered here' });
    const { id, slug } = await client.article({ title: 'Numbered here' });
    expect(slug).toBe('numbered-here-2');
    const { body } = await client.patch(`/api/articles/${id}`, { title: 'Numbered: here' });
    expect(body.data).toEqual({ id, title: 'Numbered: here' });
  });
});

describe('slugs', () => {
  test.each([
    ['Crème brûlée & Straße', 'creme-brulee-strasse'],
    ['Привет, мир', 'privet-mir'],
    ['麻婆豆腐', 'mapodoufu'],
    ["Editor's note", 'editors-note'],
    ['???', 'article'],
  ])('%s becomes %s', async (title, slug) => {
    expect((await client.article({ title })).slug).toBe(slug);
  });

  test('are numbered from 2', async () => {
    const slugs = [];
    for (let n = 1; n <= 3; n += 1) slugs.push((await client.article({ title: 'The same' })).slug);
    expect(slugs).toEqual(['the-same', 'the-same-2', 'the-same-3']);
  });

  test('have at most 100 characters, including the number', async () => {
    const { slug: words } = await client.article({ title: 'word '.repeat(50) });
    expect(words).toMatch(/^word(-word)*$/);
    expect(words.length).toBeGreaterThan(90);
    expect(words.length).toBeLessThanOrEqual(100);
    const { slug: again } = await client.article({ title: 'word '.repeat(50) });
    expect(again).toMatch(/-2$/);
    expect(again.length).toBeLessThanOrEqual(100);
    const { slug } = await client.article({ title: 'x'.repeat(255) });
    expect(slug).toBe('x'.repeat(100));
    expect((await client.article({ title: 'x'.repeat(255) })).slug).toBe(`${'x'.repeat(98)}-2`);
  });
});

describe('PUT /api/articles/{id}', () => {
  test('replaces every member and returns id, title and slug', async () => {
    const { id } = await client.article({ excerpt: 'Gone', alt_text: 'Gone', author: 'Ada' });
    const { status, body } = await client.put(`/api/articles/${id}`, wholeArticle({ title: 'Put there' }));
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'success',
      message: 'Article updated',
      data: { id, title: 'Put there', slug: 'put-there' },
    });
    expect(await client.detail(id)).toMatchObject({ title: 'Put there', excerpt: null, alt_text: null });
  });

  test.each(Object.keys(wholeArticle()))('requires %s', async (member) => {
    const { id } = await client.article();
    const { [member]: _, ...rest } = wholeArticle();
    const { status, body } = await client.put(`/api/articles/${id}`, rest);
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: member, code: 'required', message: expect.any(String) }]);
  });
});

describe('PATCH /api/articles/{id}', () => {
  test('changes only the members sent and returns id and exactly those', async () => {
    const category_id = await newCategory();
    const { id } = await client.article({ title: 'Patched', excerpt: 'Old', is_published: true });
    const before = await client.detail(id);
    const changes = { excerpt: 'New', alt_text: null, category_id };
    const { status, body } = await client.patch(`/api/articles/${id}`, changes);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'success',
      message: 'Article updated',
      data: { id, excerpt: 'New', category_id },
    });
    const after = await client.detail(id);
    expect(after).toEqual({
      ...before,
      excerpt: 'New',
      category: expect.objectContaining({ id: category_id }),
      updated_at: after.updated_at,
    });
  });

  test('an equal value is not a change', async () => {
    const { id } = await client.article({ excerpt: 'Same' });
    expect((await client.patch(`/api/articles/${id}`, { excerpt: 'Same' })).body.data).toEqual({ id });
  });

  test('updated_at changes with every write, created_at never', async () => {
    const { id } = await client.article();
    const times = [(await client.detail(id)).updated_at];
    const { created_at } = await client.detail(id);
    for (const excerpt of ['a', 'a', 'b']) {
      await client.patch(`/api/articles/${id}`, { excerpt });
      times.push((await client.detail(id)).updated_at);
    }
    expect(times).toEqual([...new Set(times)].sort());
    expect((await client.detail(id)).created_at).toBe(created_at);
  });

  test('an empty object is 422', async () => {
    const { id } = await client.article();
    const { status, body } = await client.patch(`/api/articles/${id}`, {});
    expect(status).toBe(422);
    expect(body.code).toBe('validation_failed');
  });
});

describe('DELETE /api/articles/{id}', () => {
  test('answers with data null; then the article is gone', async () => {
    const { id } = await client.article({ is_published: true });
    expect((await client.anonymously(`/api/articles/${id}`)).status).toBe(200);
    const { status, body } = await client.delete(`/api/articles/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'success', message: expect.any(String), data: null });
    expect((await client.anonymously(`/api/articles/${id}`)).status).toBe(404);
    expect((await client.delete(`/api/articles/${id}`)).status).toBe(404);
  });

  test('accepts the Content-Type that the contract requires of writes, without a body', async () => {
    const { id } = await client.article();
    const headers = { 'content-type': 'application/json' };
    expect((await client.send(`/api/articles/${id}`, { method: 'DELETE', headers })).status).toBe(200);
  });

  test('frees the slug', async () => {
    const { id, slug } = await client.article({ title: 'Free again' });
    await client.delete(`/api/articles/${id}`);
    expect((await client.article({ title: 'Free again' })).slug).toBe(slug);
  });
});

describe('an unknown id', () => {
  test.each([
    ['GET', undefined],
    ['PUT', wholeArticle()],
    ['PATCH', { title: 'x' }],
    ['DELETE', undefined],
  ])('%s is 404', async (method, json) => {
    for (const id of ['2147483647', '2147483648', '99999999999999999999']) {
      const { status, body } = await client.send(`/api/articles/${id}`, { method, json });
      expect(status).toBe(404);
      expect(body.code).toBe('not_found');
    }
  });
});
