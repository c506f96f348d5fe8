import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';

let fixture: ContentFixture;
beforeAll(async () => {
  fixture = await contentFixture();
});
afterAll(() => fixture.close());

/** The totals that the lists show. */
async function totals(): Promise<number[]> {
  const { client } = fixture;
  const lists = await Promise.all([
    client.send('/api/articles?status=all'),
    client.send('/api/articles?status=draft'),
    client.anonymously('/api/articles'),
  ]);
  return lists.map(({ body }) => body.meta.total);
}

test('TRUNCATE of the articles leaves no totals behind, and later articles are counted', async () => {
  const { client, database } = fixture;
  const { id } = await client.category({ name: 'Counted' });
  await client.article({ category_id: id, is_published: true });
  await client.article({ category_id: id });
  expect(await totals()).toEqual([2, 1, 1]);
  await database.pool.query('truncate content.article cascade');
  // The service hears of it by a notification.
  await expect.poll(totals).toEqual([0, 0, 0]);
  expect((await client.anonymously(`/api/categories/${id}`)).body.meta.total).toBe(0);
  await client.article({ category_id: id, is_published: true });
  expect(await totals()).toEqual([1, 0, 1]);
});

test('TRUNCATE is refused in a transaction whose snapshot is older than an article, and counts in another', async () => {
  const { client, database } = fixture;
  const tx = await database.pool.connect();
  try {
    await tx.query('begin isolation level repeatable read');
    await tx.query('select 1 from content.category limit 1');
    const { id } = await client.category({ name: 'Younger' });
    await client.article({ category_id: id, is_published: true });
    await expect(tx.query('truncate content.article cascade')).rejects.toThrow(
      'needs a read committed transaction',
    );
    await tx.query('rollback');
    expect((await client.anonymously(`/api/categories/${id}`)).body.meta.total).toBe(1);
    await tx.query('truncate content.article cascade');
    await expect.poll(totals).toEqual([0, 0, 0]);
    expect((await client.anonymously(`/api/categories/${id}`)).body.meta.total).toBe(0);
  } finally {
    tx.release();
  }
});
