import { randomBytes } from 'node:crypto';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { HookStore } from '@pressroom/content/hooks/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, queriesOf } from '../support/content.ts';
import { CONTENT } from '../support/content-client.ts';
import { contentCli, importText } from '../support/content-import.ts';
import { HookReceiver } from '../support/hook-receiver.ts';
import { until } from '../support/until.ts';

const KEY = randomBytes(32);

let content: ContentFixture;
const receiver = new HookReceiver();
beforeAll(async () => {
  await receiver.start();
  content = await contentFixture({
    CONTENT_HOOKS_KEY: KEY.toString('base64'),
    CONTENT_HOOKS_PRIVATE_HOSTS: '127.0.0.1',
  });
  const hook = { url: receiver.url, events: ['article.*', 'tag.*'], categoryId: null, drafts: false };
  await new HookStore(queriesOf(content.database)).add(hook, new SecretBox(KEY));
});
afterAll(async () => {
  await content.close();
  await receiver.stop();
});

const pathOf = (id: number) => `/api/articles/${id}`;
const query = (sql: string, ...values: unknown[]) => content.database.pool.query(sql, values);

/** Waits until these are the events of an article. */
const told = (id: number, ...whats: string[]) =>
  until(`${whats.join(', ')} of ${id} came`, () => {
    const types = receiver.typesOf(id).filter((type) => type.startsWith('article.'));
    return types.join() === whats.map((what) => `article.${what}`).join();
  });

/** The slugs of the latest event of an article, before and after. */
function slugs(id: number): (string | null)[] {
  const { previous_slug = '', slug = '' } =
    receiver.received.findLast(({ event }) => event.type.startsWith('article.') && event.data.id === id)
      ?.event.data ?? {};
  return [previous_slug, slug];
}

test('an article that appears and goes at its time makes events then, without a word about its plan', async () => {
  const { id } = await content.client.article({
    title: 'Planned',
    publish_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await content.client.patch(pathOf(id), { title: 'Planned otherwise' });
  await query('update content.article set publish_at = now() where id = $1', id);
  await told(id, 'published');
  expect(slugs(id)).toEqual([null, 'planned-otherwise']);
  await query('update content.article set unpublish_at = now() where id = $1', id);
  await told(id, 'published', 'updated', 'unpublished');
  expect(slugs(id)).toEqual(['planned-otherwise', null]);
});

test('every article of a release makes an event', async () => {
  await content.client.put('/api/releases/special', { publish_at: null });
  const ids: number[] = [];
  for (const title of ['One', 'Two', 'Three'])
    ids.push((await content.client.article({ title, release: 'special' })).id);
  await query("update content.release set publish_at = now() where name = 'special'");
  for (const id of ids) await told(id, 'published');
});

test('a working copy makes an event when it is published, not when it is saved', async () => {
  const { id } = (await content.client.publish({ title: 'Shown' })).body.data;
  await content.client.put(`${pathOf(id)}/working-copy`, { title: 'Hidden' });
  await content.client.put(`${pathOf(id)}/working-copy`, { title: 'Hidden still' });
  await content.client.post(`${pathOf(id)}/working-copy/publish`, {});
  await told(id, 'created', 'published', 'updated');
  await content.client.post(`${pathOf(id)}/revisions/1/restore`, {});
  await told(id, 'created', 'published', 'updated', 'updated');
});

test('what is taken out of the trash is announced as new, at its address', async () => {
  const { id } = (await content.client.publish({ title: 'Thrown away' })).body.data;
  await content.client.delete(pathOf(id));
  await told(id, 'created', 'published', 'deleted');
  expect((await content.client.post(`${pathOf(id)}/restore`, {})).status).toBe(200);
  await told(id, 'created', 'published', 'deleted', 'created', 'published');
  expect(slugs(id)).toEqual([null, 'thrown-away']);
});

test('a merge of tags makes an event of each article, with both tags', async () => {
  const [from, into] = [
    (await content.client.post('/api/tags', { name: 'Goes' })).body.data.id,
    (await content.client.post('/api/tags', { name: 'Stays' })).body.data.id,
  ];
  const { id } = (await content.client.publish({ title: 'Tagged', tags: ['goes'] })).body.data;
  const untagged = (await content.client.publish({ title: 'Untagged' })).body.data.id;
  expect((await contentCli(content, ['tags', 'merge', 'goes', 'stays'])).code).toBe(0);
  await told(id, 'created', 'published', 'updated');
  await told(untagged, 'created', 'published');
  const { event } = receiver.received.findLast((one) => one.event.type === 'article.updated') ?? {};
  expect(event?.data).toMatchObject({
    id,
    cache_tags: ['articles', `article:${id}`, `tag:${from}`, `tag:${into}`],
  });
  await until('the tag is gone', () =>
    receiver.received.some((one) => one.event.type === 'tag.deleted' && one.event.data.id === from),
  );
});

test('what is imported makes events, and what an import refuses does not', async () => {
  const before = receiver.received.length;
  const line = (title: string, html: string) =>
    JSON.stringify({ title, content: html, published_at: '2020-01-01T00:00:00Z' });
  const lines = [line('Moved in', CONTENT), line('Refused', `${CONTENT}<script>x</script>`)];
  await importText(content, lines.join('\n'));
  await until('it came', () => receiver.received.length === before + 2);
  const came = receiver.received.slice(before).map(({ event }) => [event.type, event.data.slug]);
  expect(came).toEqual([
    ['article.created', 'moved-in'],
    ['article.published', 'moved-in'],
  ]);
});
