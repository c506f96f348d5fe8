import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, type ContentClient, wholeArticle } from '../support/content-client.ts';
import type { JsonBody } from '../support/http.ts';
import { until } from '../support/until.ts';

let fixture: ContentFixture;
let client: ContentClient;
beforeAll(async () => {
  // Even on a slow machine, no request fails because it waited for a connection.
  fixture = await contentFixture({
    DATABASE_CONNECT_TIMEOUT_MS: '60000',
    DATABASE_STATEMENT_TIMEOUT_MS: '60000',
  });
  client = fixture.client;
});
afterAll(() => fixture.close());

/** Creates a tag, and returns its slug and id. */
async function tag(name: string, more: object = {}): Promise<{ id: number; slug: string }> {
  const { status, text, body } = await client.post('/api/tags', { name, ...more });
  expect([status, text]).toEqual([201, text]);
  return body.data;
}

/** The ids of a list. */
async function ids(path: string): Promise<number[]> {
  const { status, text, body } = await client.anonymously(path);
  expect([status, text]).toEqual([200, text]);
  return body.data.map(({ id }: JsonBody) => id);
}

const tagsOf = async (id: number): Promise<string[]> =>
  (await client.send(`/api/articles/${id}?include=tags`)).body.data.tags.map(({ slug }: JsonBody) => slug);

test('tags are a resource like categories, listed by pages with their numbers of published articles', async () => {
  const { id, slug } = await tag('Zebra Crossing', { description: 'Stripes' });
  await tag('Aardvark');
  await client.article({ tags: [slug] });
  await client.publish({ tags: [slug] });
  const { body } = await client.anonymously('/api/tags?per_page=100');
  expect(body.meta).toMatchObject({ page: 1, per_page: 100 });
  expect(body.data.map(({ name }: JsonBody) => name)).toEqual(
    body.data.map(({ name }: JsonBody) => name).toSorted(),
  );
  expect(body.data.find((one: JsonBody) => one.id === id)).toEqual({
    id,
    name: 'Zebra Crossing',
    slug: 'zebra-crossing',
    description: 'Stripes',
    article_count: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const second = await client.anonymously('/api/tags?page=2&per_page=1');
  expect(second.body).toMatchObject({ meta: { page: 2, total: body.meta.total }, data: [body.data[1]] });
  const detail = await client.anonymously('/api/tags/by-slug/zebra-crossing');
  expect(detail.text).toBe((await client.anonymously(`/api/tags/${id}`)).text);
  expect(detail.body).toMatchObject({ data: { id, articles: [{ title: 'A title' }] }, meta: { total: 1 } });
  const refused = await client.delete(`/api/tags/${id}`);
  expect([refused.status, refused.body.code]).toEqual([409, 'tag_not_empty']);
  expect((await client.patch(`/api/tags/${id}`, { slug: 'crossing' })).body.data).toEqual({
    id,
    slug: 'crossing',
  });
  const moved = await client.anonymously('/api/tags/by-slug/zebra-crossing');
  expect([moved.status, moved.headers.get('location')]).toEqual([308, '/api/tags/by-slug/crossing']);
});

test('tags and authors are found by a part of their names, those that begin with it first', async () => {
  const names = [
    'A harbour town',
    'Harbour',
    'HARBOUR lights',
    '港口新闻',
    'The 100% rule',
    'STRASSE',
    'ΟΔΥΣΣΕΥΣ',
  ];
  for (const name of names) await tag(name);
  const found = async (q: string, more = '') => {
    const { status, text, body } = await client.anonymously(`/api/tags?q=${encodeURIComponent(q)}${more}`);
    expect([status, text]).toEqual([200, text]);
    return [body.meta.total, body.data.map(({ name }: JsonBody) => name)];
  };
  const [total, harbours] = await found('harbour');
  expect([total, harbours.at(-1), harbours.length]).toEqual([3, 'A harbour town', 3]);
  expect(await found('straße')).toEqual([1, ['STRASSE']]);
  expect(await found('Οδυσσευς')).toEqual([1, ['ΟΔΥΣΣΕΥΣ']]);
  expect(await found('ｈａｒｂｏｕｒ', '&page=3&per_page=1')).toEqual([3, ['A harbour town']]);
  expect(await found('新闻')).toEqual([1, ['港口新闻']]);
  expect(await found('0%')).toEqual([1, ['The 100% rule']]);
  expect(await found('nothing of the kind')).toEqual([0, []]);
  expect((await client.post('/api/authors', { name: 'Ada Lovelace' })).status).toBe(201);
  const { body } = await client.anonymously('/api/authors?q=lovel');
  expect(body.data).toMatchObject([{ name: 'Ada Lovelace' }]);
  for (const q of ['', ' ', 'x'.repeat(101)]) {
    expect((await client.anonymously(`/api/tags?q=${q}`)).status).toBe(400);
  }
});

test('an article is written with the slugs of its tags, which answers show where they are asked for', async () => {
  const [one, two, three] = [await tag('One'), await tag('Two'), await tag('Three')];
  const made = await client.publish({ tags: [three.slug, one.slug, three.slug] });
  expect(made.status).toBe(201);
  const { id } = made.body.data;
  expect(await tagsOf(id)).toEqual(['three', 'one']);
  const { data } = (await client.anonymously(`/api/articles/${id}`)).body;
  expect(data).not.toHaveProperty('tags');
  expect(data).not.toHaveProperty('tag_ids');
  const before = data.updated_at;

  const changed = await client.patch(`/api/articles/${id}`, { tags: [two.slug, three.slug] });
  expect(changed.body.data).toEqual({
    id,
    tags: [
      { id: two.id, name: 'Two', slug: 'two' },
      { id: three.id, name: 'Three', slug: 'three' },
    ],
  });
  const after = (await client.anonymously(`/api/articles/${id}?include=tags,jsonld`)).body.data;
  expect(after.tags).toEqual(changed.body.data.tags);
  expect(after.jsonld['@type']).toBe('NewsArticle');
  expect(after.updated_at > before).toBe(true);
  const same = await client.patch(`/api/articles/${id}`, { tags: [two.slug, three.slug] });
  expect(same.body.data).toEqual({ id });
  // A client of the contract keeps the tags: it does not know them.
  await client.put(`/api/articles/${id}`, wholeArticle({ is_published: true }));
  expect(await tagsOf(id)).toEqual(['two', 'three']);
  const listed = await client.anonymously(`/api/articles?ids=${id}&include=tags`);
  expect(listed.body.data[0].tags).toEqual(after.tags);
  await until('the article is found with its tags', async () => {
    const found = await client.anonymously(`/api/articles?q=title&ids=${id}&include=tags`);
    return isDeepStrictEqual(found.body.data[0]?.tags, after.tags);
  });
  await client.patch(`/api/articles/${id}`, { tags: [] });
  expect(await tagsOf(id)).toEqual([]);
  expect((await client.delete(`/api/tags/${two.id}`)).status).toBe(200);
});

test('unknown tags are 422 naming each, with nothing written', async () => {
  const { slug } = await tag('Known');
  const json = articleBody({ title: 'Never made', tags: [slug, 'unknown-a', 'unknown-b'] });
  const refused = await client.post('/api/articles', json);
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toEqual([
    { field: 'tags.1', code: 'not_found', message: expect.stringContaining('create it') },
    { field: 'tags.2', code: 'not_found', message: expect.stringContaining('create it') },
  ]);
  expect((await client.send('/api/articles?status=all')).text).not.toContain('Never made');
  for (const tags of ['known', [1], [''], ['Not a slug'], Array(51).fill(slug), null]) {
    expect((await client.publish({ tags })).status, JSON.stringify(tags)).toBe(422);
  }
  expect((await client.anonymously('/api/articles?include=nothing')).status).toBe(400);
});

test('two editors cannot overwrite the tags of each other unseen', async () => {
  const { slug } = await tag('Edited');
  const { id } = await client.article();
  const path = `/api/articles/${id}`;
  const { headers } = await client.send(path);
  await client.patch(path, { tags: [slug] });
  const late = await client.send(path, {
    method: 'PATCH',
    json: { excerpt: 'Late' },
    headers: { 'if-match': headers.get('etag') ?? '' },
  });
  expect(late.status).toBe(412);
});

test('tag= lists, counts and walks the articles of a tag, however they change, also by hand', async () => {
  const [a, b] = [await tag('Listed A'), await tag('Listed B')];
  const make = async (tags: string[]) => (await client.publish({ tags })).body.data.id as number;
  const [both, onlyA, onlyB] = [
    await make([a.slug, b.slug]),
    await make([a.slug]),
    await make([b.slug]),
  ] as const;
  const total = async (slug: string) =>
    (await client.anonymously(`/api/articles?tag=${slug}`)).body.meta.total;
  expect(await ids('/api/articles?tag=listed-a')).toEqual([onlyA, both]);
  expect(await ids('/api/articles?tag=listed-a&sort=oldest')).toEqual([both, onlyA]);
  expect(await ids('/api/articles?tag=listed-a&sort=updated')).toEqual([onlyA, both]);
  expect(await ids('/api/articles?tag=listed-a&cursor=')).toEqual([onlyA, both]);
  expect(await ids('/api/articles?tag=listed-b&author=Test')).toEqual([onlyB, both]);
  expect(await ids('/api/articles?tag=nothing')).toEqual([]);
  expect([await total('listed-a'), await total('listed-b')]).toEqual([2, 2]);
  await client.patch(`/api/articles/${onlyA}`, { is_published: false });
  await client.delete(`/api/articles/${onlyB}`);
  expect([await total('listed-a'), await total('listed-b')]).toEqual([1, 1]);
  await client.patch(`/api/tags/${a.id}`, { slug: 'renamed' });
  expect(await ids('/api/articles?tag=listed-a')).toEqual([both]);
  await fixture.database.pool.query(
    `update content.article set tag_ids = array[$1::int], published_at = '2020-01-01' where id = $2`,
    [b.id, both],
  );
  await until('the change was heard', async () => (await total('renamed')) === 0);
  expect(await ids('/api/articles?tag=listed-b')).toEqual([both]);
});

test('renaming a tag shows at once in the cached answers that have it', async () => {
  const { id, slug } = await tag('Before');
  const article = (await client.publish({ tags: [slug] })).body.data.id;
  const paths = [`/api/articles/${article}?include=tags`, `/api/articles?tag=${slug}&include=tags`];
  for (const path of paths) expect((await client.anonymously(path)).text).toContain('Before');
  await client.patch(`/api/tags/${id}`, { name: 'After' });
  for (const path of paths) expect((await client.anonymously(path)).text).toContain('After');
});

test('a hundred at once with the same tags in different orders all succeed, and the counts are right', async () => {
  const slugs: string[] = [];
  for (const name of ['Race A', 'Race B', 'Race C']) slugs.push((await tag(name)).slug);
  const order = (index: number) => (index % 2 === 0 ? slugs : slugs.toReversed());
  const made = await Promise.all(
    Array.from({ length: 100 }, (_, index) => client.publish({ title: `Race ${index}`, tags: order(index) })),
  );
  expect(made.filter(({ status }) => status !== 201)).toEqual([]);
  const changed = await Promise.all(
    made.map(({ body }, index) => {
      const path = `/api/articles/${body.data.id}`;
      if (index % 3 === 0) return client.delete(path);
      if (index % 3 === 1) return client.patch(path, { tags: order(index + 1).slice(1) });
      return client.patch(path, { is_published: false, tags: order(index + 1) });
    }),
  );
  expect(changed.filter(({ status }) => status !== 200)).toEqual([]);
  const { rows } = await fixture.database.pool.query(
    `select tag.slug,
       (select count(*) from content.article where tag.id = any(tag_ids) and is_published) as real,
       (select articles from content.list_count
         where kind = 'tag' and id = tag.id and period = 'all' and is_published) as kept
     from content.tag where slug = any($1)`,
    [slugs],
  );
  expect(rows).toHaveLength(3);
  for (const { slug, real, kept } of rows) expect([slug, String(kept)]).toEqual([slug, String(real)]);
});
