import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { contentCli } from '../support/content-import.ts';
import type { JsonBody } from '../support/http.ts';

let fixture: ContentFixture;
beforeAll(async () => {
  fixture = await contentFixture();
});
afterAll(() => fixture.close());

const merge = (plural: string, from: string, into: string) =>
  contentCli(fixture, [plural, 'merge', from, into]);

test.each([
  ['tags', 'tag', 'tag'],
  ['authors', 'author', 'author_slug'],
] as const)(
  '%s are merged: articles keep their place, counts are right, and slugs lead on in one hop',
  async (plural, noun, filter) => {
    const { client, database } = fixture;
    const make = async (name: string) => (await client.post(`/api/${plural}`, { name })).body.data;
    const [from, into, other] = [await make('Goes'), await make('Stays'), await make('Other')];
    await client.patch(`/api/${plural}/${from.id}`, { slug: 'gone' });
    const article = async (title: string, ...terms: { slug: string }[]) =>
      (await client.publish({ title, [plural]: terms.map(({ slug }) => slug) })).body.data.id;
    const named = { ...from, slug: 'gone' };
    const both = await article('Both', other, named, into);
    const alone = await article('Alone', named);
    await client.article({ title: 'Draft', [plural]: ['gone'] });
    // More than one batch.
    await database.pool.query(
      `insert into content.article (title, title_words, slug, content, author, is_published, published_at, ${noun}_ids)
     select 'Many', '{}', '${noun}-many-' || n, repeat('word ', 20), 'Many', true, now(), array[$1::integer]
     from generate_series(1, 150) as n`,
      [from.id],
    );
    const before = (await client.send(`/api/articles/${alone}`)).body.data.updated_at;

    const unknown = await merge(plural, 'nothing', 'stays');
    expect([unknown.code, unknown.stderr]).toEqual([1, `no ${noun} has the slug nothing\n`]);
    expect((await merge(plural, 'stays', 'stays')).code).toBe(1);
    const merged = await merge(plural, 'goes', 'stays');
    expect([merged.code, merged.stderr, merged.stdout]).toEqual([
      0,
      '',
      '153 articles now have stays; gone leads there.\n',
    ]);
    const again = await merge(plural, 'gone', 'stays');
    expect([again.code, again.stdout]).toEqual([0, 'gone already leads to stays.\n']);

    const shown = (await client.anonymously(`/api/articles/${both}?include=${plural}`)).body.data;
    expect(shown[plural].map(({ slug }: JsonBody) => slug)).toEqual(['other', 'stays']);
    if (noun === 'author') expect(shown.author).toBe('Other, Stays');
    expect((await client.send(`/api/articles/${alone}`)).body.data.updated_at).toBe(before);
    const list = await client.anonymously(`/api/articles?${filter}=gone`);
    expect(list.body.meta.total).toBe(152);
    for (const slug of ['goes', 'gone']) {
      const { status, headers } = await client.anonymously(`/api/${plural}/by-slug/${slug}`);
      expect([status, headers.get('location')]).toEqual([308, `/api/${plural}/by-slug/stays`]);
    }
    expect((await client.post(`/api/${plural}`, { name: 'Other', slug: 'gone' })).status).toBe(409);
    expect((await client.anonymously(`/api/${plural}/${from.id}`)).status).toBe(404);
    const { rows } = await database.pool.query(
      `select (select count(*)::integer from content.list_count where kind = $1 and id = $2) as kept,
       (select count(*)::integer from content.article_${noun} where ${noun}_id = $2) as articles`,
      [noun, from.id],
    );
    expect(rows).toEqual([{ kept: 0, articles: 0 }]);
  },
);

test.each([
  ['tags', 'tag'],
  ['authors', 'author'],
] as const)('%s are merged by a request, in steps that can be repeated', async (plural, noun) => {
  const { client, database, key } = fixture;
  const make = async (name: string) => (await client.post(`/api/${plural}`, { name })).body.data;
  const [from, into] = [await make(`Request from ${noun}`), await make(`Request into ${noun}`)];
  const one = await client.publish({ title: 'By request', [plural]: [from.slug] });
  await database.pool.query(
    `insert into content.article (title, title_words, slug, content, author, ${noun}_ids)
     select 'Many', '{}', '${noun}-request-' || n, repeat('word ', 20), 'Many', array[$1::integer]
     from generate_series(1, 1000) as n`,
    [from.id],
  );
  const merge = (id: number, json: object) => client.post(`/api/${plural}/${id}/merge`, json);
  for (const [into, code] of [
    [from.id, 'invalid_value'],
    [2147483647, 'not_found'],
  ] as const) {
    const { status, body } = await merge(from.id, { into });
    expect([status, body.errors]).toMatchObject([422, [{ field: 'into', code }]]);
  }
  expect((await merge(from.id, {})).status).toBe(422);
  expect((await merge(2147483647, { into: into.id })).status).toBe(404);

  const first = await merge(from.id, { into: into.id });
  expect(first.body.data).toEqual({ moved: 1000, is_complete: false });
  const last = await merge(from.id, { into: into.id });
  expect([last.status, last.body.data]).toEqual([200, { moved: 1, is_complete: true }]);
  expect((await merge(from.id, { into: into.id })).status).toBe(404);
  const shown = await client.anonymously(`/api/articles/${one.body.data.id}?include=${plural}`);
  expect(shown.body.data[plural]).toMatchObject([{ slug: into.slug }]);
  expect((await client.anonymously(`/api/${plural}/by-slug/${from.slug}`)).status).toBe(308);
  const { rows } = await database.pool.query(
    `select action, key from content.audit where action = $1 order by id desc limit 1`,
    [`${noun}.deleted`],
  );
  expect(rows).toEqual([{ action: `${noun}.deleted`, key: key.slice(3, 11) }]);
});
