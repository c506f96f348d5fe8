import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { wholeArticle } from '../support/content-client.ts';

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture({ CONTENT_SITE_URL: 'https://site.example', SITE_LANGUAGE: 'en' });
});
afterAll(() => content.close());

const FIRST = { at: '2026-03-01T08:00:00.000Z', text: 'The bridge is 200 m long, not 200 km.' };
const LATER = { at: '2026-03-02T09:30:00.000Z', text: 'It opened in <1999>.' };

test('a correction is in details, feeds, JSON-LD and copies, the newest last, and absent without any', async () => {
  const { client } = content;
  const { id } = (await client.publish({ title: 'The bridge' })).body.data;
  const path = `/api/articles/${id}`;
  const plain = (await client.anonymously(`${path}?include=jsonld`)).body.data;
  expect([
    plain,
    plain.jsonld,
    (await client.anonymously('/api/sync/snapshot?fields=full')).body.data[0],
  ]).toEqual(
    [1, 2, 3].map(() =>
      expect.not.objectContaining({ corrections: expect.anything(), correction: expect.anything() }),
    ),
  );
  const { cursor } = (await client.anonymously('/api/sync/snapshot?fields=full')).body.meta;

  const given = [{ ...LATER, at: '2026-03-02T10:30:00+01:00' }, FIRST];
  const changed = await client.patch(path, { corrections: given });
  expect(changed.body.data).toEqual({ id, corrections: [FIRST, LATER] });
  const { data } = (await client.anonymously(`${path}?include=jsonld`)).body;
  expect(data.corrections).toEqual([FIRST, LATER]);
  expect(data.jsonld.correction).toEqual(
    [FIRST, LATER].map(({ at, text }) => ({ '@type': 'CorrectionComment', text, datePublished: at })),
  );
  const feed = (await client.anonymously('/articles/feed.json')).body.items[0];
  expect(feed.content_html).toContain(
    '<p><time datetime="2026-03-02T09:30:00.000Z">2026-03-02</time>: It opened in &lt;1999&gt;.</p>',
  );
  const changes = (await client.anonymously(`/api/sync/changes?cursor=${cursor}`)).body.data;
  expect(changes.map(({ item }: { item: object }) => item)).toEqual([
    expect.objectContaining({ id, corrections: [FIRST, LATER] }),
  ]);
  expect((await client.anonymously(`/api/articles?fields=full&cursor=`)).body.data[0]).not.toHaveProperty(
    'corrections',
  );
  expect((await client.patch(path, { corrections: [] })).body.data).toEqual({ id, corrections: null });
  expect((await client.anonymously(path)).body.data).not.toHaveProperty('corrections');
});

test('revisions keep corrections, a restored text leaves them, and a PUT without them too', async () => {
  const { client } = content;
  const { id } = await client.article({ title: 'Wrong', is_published: true });
  const path = `/api/articles/${id}`;
  await client.patch(path, { title: 'Right', corrections: [FIRST] });
  const revision = async (number: number) =>
    (await client.send(`${path}/revisions/${number}`)).body.data.article;
  expect(await revision(1)).not.toHaveProperty('corrections');
  expect((await revision(2)).corrections).toEqual([FIRST]);
  await client.patch(path, { title: 'Third', corrections: [FIRST, LATER] });
  await client.post(`${path}/revisions/2/restore`, {});
  expect(await client.detail(id)).toMatchObject({ title: 'Right', corrections: [FIRST, LATER] });
  await client.put(path, wholeArticle({ title: 'Put', is_published: true }));
  expect(await client.detail(id)).toMatchObject({ title: 'Put', corrections: [FIRST, LATER] });
});

test('a working copy has corrections that readers see once it is published', async () => {
  const { client } = content;
  const { id } = await client.article({ is_published: true });
  const path = `/api/articles/${id}`;
  await client.put(`${path}/working-copy`, { corrections: [LATER, FIRST] });
  const { token } = (await client.post(`${path}/previews`, {})).body.data;
  const corrections = async (query = '') => (await client.anonymously(path + query)).body.data.corrections;
  expect([await corrections(`?preview=${token}`), await corrections()]).toEqual([[FIRST, LATER], undefined]);
  await client.post(`${path}/working-copy/publish`, {});
  expect(await corrections()).toEqual([FIRST, LATER]);
});

test.each([
  [[{ text: 'Undated' }], 'corrections.0.at'],
  [[{ ...FIRST, at: 'yesterday' }], 'corrections.0.at'],
  [[{ ...FIRST, at: '0000-01-01T00:00:00+00:01' }], 'corrections.0.at'],
  [[{ ...FIRST, at: '9999-12-31T23:59:59-00:01' }], 'corrections.0.at'],
  [[{ ...FIRST, text: ' ' }], 'corrections.0.text'],
  [[{ ...FIRST, text: 'x'.repeat(1001) }], 'corrections.0.text'],
  [[{ ...FIRST, author: 'x' }], 'corrections.0.author'],
  [Array(51).fill(FIRST), 'corrections'],
  ['none', 'corrections'],
])('%j is refused at %s', async (corrections, field) => {
  const { status, body } = await content.client.publish({ title: 'Refused', corrections });
  expect([status, body.errors?.map((one: { field: string }) => one.field)]).toEqual([422, [field]]);
});
