import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { send } from '../support/http.ts';

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture({
    CONTENT_SITE_URL: 'https://site.example',
    SITE_NAME: 'The Example',
    SITE_LANGUAGE: 'en-GB',
  });
});
afterAll(() => content.close());

test('an article is a NewsArticle where that is asked for, by id and by slug, and unchanged elsewhere', async () => {
  const { client } = content;
  const category = await client.category({ name: 'Science' });
  const { body } = await client.publish({
    title: 'Water </script> found',
    excerpt: 'On the moon.',
    featured_image: 'https://images.example/moon.jpg',
    author: 'Ada',
    category_id: category.id,
  });
  const { id, slug } = body.data;
  const plain = await client.anonymously(`/api/articles/${id}`);
  const asked = await client.anonymously(`/api/articles/${id}?include=jsonld`);
  const { jsonld, ...members } = asked.body.data;
  expect(members).toEqual(plain.body.data);
  expect(jsonld).toEqual({
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    headline: 'Water </script> found',
    description: 'On the moon.',
    image: ['https://images.example/moon.jpg'],
    datePublished: members.published_at,
    dateModified: members.updated_at,
    author: [{ '@type': 'Person', name: 'Ada' }],
    articleSection: 'Science',
    inLanguage: 'en-GB',
    url: `https://site.example/articles/${slug}`,
    mainEntityOfPage: `https://site.example/articles/${slug}`,
    publisher: { '@type': 'Organization', name: 'The Example', url: 'https://site.example' },
  });
  const bySlug = await client.anonymously(`/api/articles/by-slug/${slug}?include=jsonld`);
  expect([bySlug.text, bySlug.headers.get('etag')]).toEqual([asked.text, asked.headers.get('etag')]);
  expect(asked.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  // Of whichever representation, the tag names the same article to a write.
  const headers = { 'if-match': String(asked.headers.get('etag')) };
  const json = { canonical_url: 'https://elsewhere.example/water', meta_description: 'Found.' };
  const changed = await client.send(`/api/articles/${id}`, { method: 'PATCH', json, headers });
  expect(changed.status).toBe(200);
  const after = await client.anonymously(`/api/articles/${id}?include=jsonld`);
  expect(after.body.data.jsonld).toMatchObject({
    description: 'Found.',
    url: 'https://elsewhere.example/water',
    mainEntityOfPage: 'https://elsewhere.example/water',
  });
  await client.patch(`/api/articles/${id}`, { slug: 'water' });
  const moved = await client.anonymously(`/api/articles/by-slug/${slug}?include=jsonld`);
  expect(moved.headers.get('location')).toBe('/api/articles/by-slug/water?include=jsonld');
});

test('what is not known is left out, and what cannot be included is refused', async () => {
  const { id } = await content.client.article({ title: 'Bare' });
  const nowhere = await startContent(content.database.url);
  onTestFinished(nowhere.close);
  const headers = { 'x-api-key': content.key };
  const { body } = await send(`${nowhere.url}/api/articles/${id}?include=jsonld`, { headers });
  expect(body.data.jsonld).toEqual({
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    headline: 'Bare',
    dateModified: body.data.updated_at,
    author: [{ '@type': 'Person', name: 'Test' }],
  });
  for (const query of ['include=', 'include=json', 'include=jsonld,', 'includes=jsonld']) {
    expect((await content.client.send(`/api/articles/${id}?${query}`)).status, query).toBe(400);
  }
});
