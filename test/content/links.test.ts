import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { send } from '../support/http.ts';

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture({
    CONTENT_SITE_URL: 'https://news.example/daily',
    CONTENT_ARTICLE_PATH: '/articles/{id}/{slug}/',
  });
});
afterAll(() => content.close());

async function brokenAmong(...urls: string[]): Promise<string[][]> {
  const { status, body } = await content.client.post('/api/articles/links', { urls });
  expect(status).toBe(200);
  return body.data.map(({ url, fault }: Record<string, string>) => [url, fault]);
}

test('links to pages of the site that readers do not find are named, and others are not', async () => {
  const { client } = content;
  const { id, slug } = await client.article({ title: 'Found', is_published: true });
  const draft = await client.article({ title: 'Not yet' });
  const moved = await client.article({ title: 'Moved', slug: 'before', is_published: true });
  await client.patch(`/api/articles/${moved.id}`, { slug: 'after' });
  await client.category({ name: 'News', slug: 'news' });
  await client.post('/api/redirects', { from: '/daily/articles/9/old', to: '/daily/articles' });
  await client.post('/api/redirects', { from: '/daily/about', to: null, status: 410 });

  expect(
    await brokenAmong(
      ...[`/daily/articles/${id}/${slug}`, `https://news.example/daily/articles/${id}/${slug}/?page=2#part`],
      ...[
        '/daily/categories/news/',
        '/daily/anything',
        '/elsewhere',
        'https://other.example/daily/articles/1/x',
      ],
      ...[
        '//other.example/daily/articles/1/x',
        '\\\\news.example',
        'articles/1/x',
        '#part',
        'mailto:a@b.example',
      ],
      ...['javascript:alert(1)', 'https://', '', '/%', `/daily/articles/${moved.id}/before`],
      ...['/daily/articles/9/old'],
    ),
  ).toEqual([]);
  const faults = [
    [`/daily/articles/${draft.id}/not-yet`, 'draft'],
    [`/daily/articles/${id}/other`, 'missing'],
    ['https://news.example/daily/articles/999999999/found?utm=1', 'missing'],
    ['/daily/categories/gone', 'missing'],
    ['/daily/authors/gone', 'missing'],
    ['/daily/about', 'missing'],
  ];
  expect(await brokenAmong(...faults.map(([url = '']) => url))).toEqual(faults);
});

test('where any address may be that of another page, and without a site, no link is called broken', async () => {
  const urls = ['/gone', 'https://blog.example/gone', '/categories/gone'];
  const settings: Record<string, string>[] = [
    { CONTENT_SITE_URL: 'https://blog.example', CONTENT_ARTICLE_PATH: '/{slug}' },
    {},
  ];
  const broken = settings.map(async (one) => {
    const service = await startContent(content.database.url, one);
    onTestFinished(service.close);
    const headers = { 'x-api-key': content.key };
    const { body } = await send(`${service.url}/api/articles/links`, {
      method: 'POST',
      headers,
      json: { urls },
    });
    return body.data;
  });
  expect(await Promise.all(broken)).toEqual([[{ url: '/categories/gone', fault: 'missing' }], []]);
});

test('a question has at most 200 addresses of 2,000 characters', async () => {
  const ask = async (urls: unknown) => (await content.client.post('/api/articles/links', { urls })).status;
  expect(await ask(Array(200).fill(`/daily/articles/1/${'x'.repeat(1900)}`))).toBe(200);
  expect([await ask(Array(201).fill('/')), await ask(['x'.repeat(2001)]), await ask('/')]).toEqual([
    422, 422, 422,
  ]);
});
