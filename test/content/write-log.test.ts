import { expect, onTestFinished, test } from 'vitest';
import { contentFixture } from '../support/content.ts';
import { articleBody, wholeArticle } from '../support/content-client.ts';

test('every write that is made logs who made it, by the prefix of the key, and what it was about', async () => {
  const content = await contentFixture();
  onTestFinished(content.close);
  const { client, key, log } = content;
  const { id: category } = await client.category({ name: 'Logged' });
  const { id: article } = await client.article({ title: 'Logged' });
  await client.put(`/api/articles/${article}`, wholeArticle({ title: 'Put' }));
  await client.patch(`/api/articles/${article}`, { title: 'Patched' });
  await client.put(`/api/categories/${category}`, { name: 'Put', description: null });
  await client.patch(`/api/categories/${category}`, { name: 'Patched' });
  // Refused, so that nothing was written.
  await client.patch(`/api/articles/${article}`, { title: '' });
  await client.delete(`/api/categories/2147483647`);
  const once = { method: 'POST', json: articleBody(), headers: { 'idempotency-key': 'log' } };
  const { id: repeated } = (await client.send('/api/articles', once)).body.data;
  await client.send('/api/articles', once);
  await client.delete(`/api/articles/${article}`);
  const last = await client.delete(`/api/categories/${category}`);

  const written = log.events().filter(({ msg }) => /^(article|category)_/.test(String(msg)));
  const who = { key: key.slice(3, 11), requestId: expect.any(String) };
  expect(written).toMatchObject([
    { ...who, msg: 'category_created', category },
    { ...who, msg: 'article_created', article },
    { ...who, msg: 'article_updated', article },
    { ...who, msg: 'article_updated', article },
    { ...who, msg: 'category_updated', category },
    { ...who, msg: 'category_updated', category },
    { ...who, msg: 'article_created', article: repeated },
    { ...who, msg: 'article_deleted', article },
    { ...who, msg: 'category_deleted', category },
  ]);
  expect(written).toHaveLength(9);
  expect(written.at(-1)?.requestId).toBe(last.headers.get('x-request-id'));
  expect(log.text()).not.toContain(key);
});
