import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { wholeArticle } from '../support/content-client.ts';

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture({ CONTENT_SITE_URL: 'https://site.example' });
});
afterAll(() => content.close());

const SOCIAL = {
  social_title: 'You will not believe </script> this bridge',
  social_description: 'Longer than the last one.',
  social_image: 'https://site.example/media/public/card.jpg',
};

const NAMES = Object.keys(SOCIAL);

test('what networks show is in details, copies and exports, absent where it is unset, and in lists', async () => {
  const { client } = content;
  const { id } = (await client.publish({ title: 'The bridge' })).body.data;
  const path = `/api/articles/${id}`;
  const social = (one: Record<string, unknown>) =>
    Object.fromEntries(NAMES.flatMap((name) => (name in one ? [[name, one[name]]] : [])));
  const shown = async () => {
    const snapshot = (await client.anonymously('/api/sync/snapshot?fields=full')).body.data;
    const lines = (await client.send('/api/exports/content.jsonl')).text.trim().split('\n');
    const named = [
      (await client.anonymously(path)).body.data,
      snapshot.find((one: { kind: string }) => one.kind === 'article'),
      lines.map((line: string) => JSON.parse(line)).find((line) => line.title === 'The bridge'),
    ];
    return named.map(social);
  };
  const listed = async (fields: string) =>
    social((await client.anonymously(`/api/articles?fields=${fields}&cursor=`)).body.data[0]);
  const unset = Object.fromEntries(NAMES.map((name) => [name, null]));
  expect(await shown()).toEqual([{}, {}, {}]);
  expect([await listed(NAMES.join()), await listed('full')]).toEqual([unset, unset]);
  const { cursor } = (await client.anonymously('/api/sync/snapshot?fields=full')).body.meta;
  const { jsonld } = (await client.anonymously(`${path}?include=jsonld`)).body.data;
  expect(jsonld).not.toHaveProperty('image');

  expect((await client.patch(path, SOCIAL)).body.data).toEqual({ id, ...SOCIAL });
  expect(await shown()).toEqual([SOCIAL, SOCIAL, SOCIAL]);
  expect([await listed(NAMES.join()), await listed('full')]).toEqual([SOCIAL, SOCIAL]);
  const changes = (await client.anonymously(`/api/sync/changes?cursor=${cursor}`)).body.data;
  expect(changes.map(({ item }: { item: object }) => item)).toEqual([
    expect.objectContaining({ id, ...SOCIAL }),
  ]);
  expect((await client.anonymously(`${path}?include=jsonld`)).body.data.jsonld).toMatchObject({
    headline: 'The bridge',
    image: [SOCIAL.social_image],
  });
  // A photo editor learns that the picture is used before it is deleted.
  expect((await client.anonymously('/api/articles?media=public/card.jpg')).body.meta.total).toBe(1);

  // A client that does not know them leaves them.
  await client.put(path, wholeArticle({ title: 'The bridge', is_published: true }));
  expect(await client.detail(id)).toMatchObject(SOCIAL);
  expect((await client.patch(path, { social_title: null })).body.data).toEqual({ id, social_title: null });
  expect(await client.detail(id)).not.toHaveProperty('social_title');
});

test('revisions have it, and working copies and drafts until readers see it', async () => {
  const { client } = content;
  const draft = await client.post('/api/drafts', { title: 'Draft', content: '', ...SOCIAL });
  expect(await client.detail(draft.body.data.id)).toMatchObject(SOCIAL);

  const { id } = await client.article({ title: 'Seen', is_published: true });
  const path = `/api/articles/${id}`;
  await client.put(`${path}/working-copy`, SOCIAL);
  const { token } = (await client.post(`${path}/previews`, {})).body.data;
  expect((await client.anonymously(`${path}?preview=${token}`)).body.data).toMatchObject(SOCIAL);
  expect((await client.anonymously(path)).body.data).not.toHaveProperty('social_title');
  await client.post(`${path}/working-copy/publish`, {});
  expect((await client.anonymously(path)).body.data).toMatchObject(SOCIAL);

  const { data } = (await client.send(`${path}/revisions`)).body;
  expect(data[0].changed).toEqual(expect.arrayContaining(NAMES));
  await client.post(`${path}/revisions/1/restore`, {});
  expect(await client.detail(id)).not.toHaveProperty('social_title');
});

test.each([
  ['social_title', 'x'.repeat(256)],
  ['social_title', 'two\nlines'],
  ['social_title', 'a\u0000b'],
  ['social_description', 'x'.repeat(501)],
  ['social_description', 'x'.repeat(100_000)],
  ['social_image', 'javascript:alert(1)'],
  ['social_image', 'https://user:word@a.example/'],
  ['social_image', 'https://a.example/"onerror="alert(1)'],
  ['social_image', `https://a.example/${'x'.repeat(500)}`],
])('%s: %.40j is refused', async (name, value) => {
  const { status, body } = await content.client.publish({ title: 'Refused', [name]: value });
  expect([status, body.errors?.map((one: { field: string }) => one.field)]).toEqual([422, [name]]);
});
