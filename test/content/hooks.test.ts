import { randomBytes } from 'node:crypto';
import { verifyEvent, WebhookVerificationError } from '@pressroom/client/hooks';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { HookStore, type NewHook, readEvents } from '@pressroom/content/hooks/store';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../support/command.ts';
import { type ContentFixture, contentFixture, queriesOf } from '../support/content.ts';
import { articleBody, CONTENT } from '../support/content-client.ts';
import { HookReceiver, type Received } from '../support/hook-receiver.ts';
import { until } from '../support/until.ts';

const KEY = randomBytes(32).toString('base64');

let fixture: ContentFixture;
let receiver: HookReceiver;
beforeAll(async () => {
  receiver = await new HookReceiver().start();
  const hosts = { CONTENT_HOOKS_KEY: KEY, CONTENT_HOOKS_PRIVATE_HOSTS: '127.0.0.1', METRICS_PORT: '0' };
  fixture = await contentFixture(hosts);
});
beforeEach(async () => {
  // `alter … restart` would wait for the service's claim, and that for the rows deleted here.
  await fixture.database.pool.query(`
    delete from content.hook; delete from content.event;
    select setval(pg_get_serial_sequence('content.hook', 'id'), 1, false)
  `);
  receiver.received.length = 0;
  receiver.answer = (response) => response.writeHead(204).end();
});
afterAll(async () => {
  await fixture.close();
  await receiver.stop();
});

/** Runs `content hooks`. */
function hooks(...args: string[]) {
  const env = { DATABASE_URL: fixture.database.url, CONTENT_HOOKS_KEY: KEY };
  return run(['services/content/src/cli.ts', 'hooks', ...args], { env });
}

/** Adds a hook to the receiver, and returns its secret. */
async function add(events: string, more: Partial<NewHook> & { to?: HookReceiver } = {}): Promise<string> {
  const { to = receiver, ...chosen } = more;
  const hook = { url: to.url, events: readEvents(events), categoryId: null, drafts: false, ...chosen };
  return (
    await new HookStore(queriesOf(fixture.database)).add(hook, new SecretBox(Buffer.from(KEY, 'base64')))
  ).secret;
}

const query = (sql: string, ...values: unknown[]) => fixture.database.pool.query(sql, values);

/** Resolves to the events once so many have come. */
async function told(count: number): Promise<Received[]> {
  await until(`${count} events came`, () => receiver.received.length >= count);
  return receiver.received;
}

test('what happens to an article is delivered, signed, with its slugs and cache tags', async () => {
  const { client } = fixture;
  const secret = await add('article.*');
  const { id: category } = await client.category({ name: 'Harbour' });
  const { id: tag } = (await client.post('/api/tags', { name: 'Boats' })).body.data;
  const published = await client.publish({ title: 'The gauge', category_id: category, tags: ['boats'] });
  const { id } = published.body.data;
  await client.patch(`/api/articles/${id}`, { slug: 'the-old-gauge' });
  await client.patch(`/api/articles/${id}`, { is_published: false });
  await client.patch(`/api/articles/${id}`, { is_published: true });
  await client.delete(`/api/articles/${id}`);
  const received = await told(6);
  const cache_tags = ['articles', `article:${id}`, `category:${category}`, `tag:${tag}`];
  const [first, last] = ['the-gauge', 'the-old-gauge'];
  const expected: [string, string | null, string | null][] = [
    ['created', null, first],
    ['published', null, first],
    ['updated', first, last],
    ['unpublished', last, null],
    ['published', null, last],
    ['deleted', last, null],
  ];
  expect(received.map(({ body, headers }) => verifyEvent(body, headers, secret))).toEqual(
    expected.map(([what, previous_slug, slug]) => ({
      id: expect.stringMatching(/^evt_\w+$/),
      type: `article.${what}`,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { id, slug, previous_slug, cache_tags, sync_cursor: expect.stringMatching(/^[\w-]{31}$/) },
    })),
  );
  const { body, headers } = received[0] as Received;
  expect(headers['webhook-id']).toBe(JSON.parse(body).id);
  expect(() => verifyEvent(body.replace('gauge', 'gauze'), headers, secret)).toThrow(
    WebhookVerificationError,
  );
  expect(() => verifyEvent(body, headers, `whsec_${KEY}`)).toThrow(WebhookVerificationError);
  expect(fixture.log.text()).not.toContain(secret);
});

test('hand-written SQL makes events too, a write that changes nothing is not, nor what was rolled back', async () => {
  await add('article.*,category.*,tag.*,author.*');
  await query(`begin; insert into content.category (name, slug) values ('No', 'no'); rollback`);
  await query(`insert into content.category (name, slug) values ('One', 'sql-one'), ('Two', 'sql-two')`);
  await query(`update content.category set slug = slug where slug like 'sql-%'`);
  await query(`update content.category set slug = 'sql-three' where slug = 'sql-two'`);
  await query(`delete from content.category where slug like 'sql-%'`);
  await query(`insert into content.tag (name, slug) values ('Tag', 'sql-tag')`);
  await query(`insert into content.author (name, slug) values ('Ada', 'sql-ada')`);
  const received = await told(7);
  expect(received.map(({ event: { type, data } }) => [type, data.previous_slug, data.slug]).sort()).toEqual(
    [
      ['category.created', null, 'sql-one'],
      ['category.created', null, 'sql-two'],
      ['category.updated', 'sql-two', 'sql-three'],
      ['category.deleted', 'sql-one', null],
      ['category.deleted', 'sql-three', null],
      ['tag.created', null, 'sql-tag'],
      ['author.created', null, 'sql-ada'],
    ].sort(),
  );
  const updated = received.find(({ event }) => event.type === 'category.updated')?.event.data;
  expect(updated?.cache_tags).toEqual(['categories', `category:${updated?.id}`, 'articles']);
});

test('events of drafts go to hooks that asked for them, with id and type alone', async () => {
  const { client } = fixture;
  await add('article.*');
  const drafts = await new HookReceiver().start();
  await add('article.*', { to: drafts, drafts: true });
  const { id } = await client.article({ title: 'Secret plan', category_id: null });
  await client.patch(`/api/articles/${id}`, { title: 'Secret plan B' });
  await client.delete(`/api/articles/${id}`);
  await client.publish({ title: 'Open' });
  await until('the publication came', () => drafts.received.length === 5);
  await told(2);
  expect(drafts.typesOf(id)).toEqual(['article.created', 'article.updated', 'article.deleted']);
  for (const { event } of drafts.received.filter((one) => one.event.data.id === id)) {
    const nothing = { slug: null, previous_slug: null, cache_tags: [] };
    expect(event.data).toEqual({ id, ...nothing, sync_cursor: expect.any(String) });
  }
  expect(receiver.typesOf(id)).toEqual([]);
  await drafts.stop();
});

test('a hook may be for some types, or for one category', async () => {
  const { client } = fixture;
  const { id: here } = await client.category({ name: 'Here' });
  const { id: there } = await client.category({ name: 'There' });
  const only = await new HookReceiver().start();
  await add('article.published,category.updated');
  await add('article.*,category.*,tag.*', { to: only, categoryId: here });
  const { id } = (await client.publish({ title: 'Moves', category_id: there })).body.data;
  await client.patch(`/api/articles/${id}`, { category_id: here });
  await client.patch(`/api/articles/${id}`, { title: 'Stays' });
  await client.patch(`/api/articles/${id}`, { category_id: there });
  await client.patch(`/api/articles/${id}`, { title: 'Elsewhere' });
  await client.patch(`/api/categories/${here}`, { name: 'Right here' });
  await client.patch(`/api/categories/${there}`, { name: 'Over there' });
  await client.post('/api/tags', { name: 'Of no category' });
  await told(3);
  await until('the others came', () => only.received.length === 4);
  const typed = (one: HookReceiver) =>
    one.received.map(({ event }) => `${event.type} ${event.data.id}`).sort();
  expect(typed(receiver)).toEqual([
    `article.published ${id}`,
    `category.updated ${here}`,
    `category.updated ${there}`,
  ]);
  const moves = Array<string>(3).fill(`article.updated ${id}`);
  expect(typed(only)).toEqual([...moves, `category.updated ${here}`]);
  await only.stop();
});

test('without a hook nothing is written', async () => {
  const { id } = await fixture.client.article({ title: 'Nobody listens', content: CONTENT });
  await fixture.client.delete(`/api/articles/${id}`);
  const { rows } = await query('select count(*) from content.event');
  expect(Number(rows[0].count)).toBe(0);
});

test('an operator tests, pauses, resumes, replays, rotates and removes a hook', async () => {
  const { client } = fixture;
  const began = new Date();
  const added = await hooks('add', receiver.url, '--events', 'article.published');
  expect(added.stderr).toBe('Hook 1. Its secret, which will not be shown again:\n');
  const secret = added.stdout.trim();
  expect((await hooks('test', '1')).stdout).toMatch(/^delivered \(204\) in \d+ ms\n$/);
  expect(receiver.received.at(-1)?.event.type).toBe('hook.test');

  receiver.answer = (response) => response.writeHead(500).end('The disk\n is \u001b[31mfull');
  const failed = await hooks('test', '1');
  expect([failed.code, failed.stderr]).toEqual([1, 'it answered 500: The disk is [31mfull\n']);
  expect((await hooks('list')).stdout).toMatch(/failed \d+ times, next at 2/);
  receiver.answer = (response) => response.writeHead(204).end();

  expect((await hooks('pause', '1')).code).toBe(0);
  expect((await hooks('test', '1')).stderr).toBe('hook 1 is paused: resume it first\n');
  const since = new Date().toISOString();
  receiver.received.length = 0;
  const { id } = (await client.publish({ title: 'While paused' })).body.data;
  const listed = (await hooks('list')).stdout;
  expect(listed).toContain('by an operator');
  expect(receiver.typesOf(id)).toEqual([]);
  expect((await hooks('resume', '1')).code).toBe(0);
  await until('it came', () => receiver.typesOf(id).length === 1);

  const rotated = (await hooks('rotate', '1')).stdout.trim();
  expect((await hooks('replay', '1', '--since', since)).stdout).toBe(
    '1 events are delivered to hook 1 again.\n',
  );
  await until('it came again', () => receiver.typesOf(id).length === 2);
  const [first, again] = receiver.received.filter(({ event }) => event.data.id === id) as [
    Received,
    Received,
  ];
  expect(again.body).toBe(first.body);
  for (const either of [secret, rotated]) verifyEvent(again.body, again.headers, either);
  expect(() => verifyEvent(first.body, first.headers, rotated)).toThrow(WebhookVerificationError);

  expect((await hooks('log', '1')).stdout).toMatch(/article\.published.*article:\d+.*delivered \(204\)/);
  const port = fixture.log.events().find(({ msg }) => msg === 'metrics_listening')?.address as {
    port: number;
  };
  const metrics = await (await fetch(`http://127.0.0.1:${port.port}/metrics`)).text();
  expect(metrics).toContain('content_hook_paused{hook="1"} 0');

  expect((await hooks('remove', '1')).code).toBe(0);
  expect((await hooks('remove', '1')).stderr).toBe('there is no hook 1\n');
  expect((await hooks('remove', '0')).stderr).toBe('"0" is not the id of a hook; see `content hooks list`\n');
  expect((await hooks('list')).stdout).toContain('There are no hooks yet');
  const { rows } = await query(
    `select action from content.audit where action like 'hook.%' and (detail ->> 'id')::integer = 1 and at >= $1 order by id`,
    began,
  );
  const trail = ['hook.added', 'hook.paused', 'hook.resumed', 'hook.rotated', 'hook.removed'];
  expect(rows.map(({ action }) => action)).toEqual(trail);
});

test('a write waits for the removal of a hook, and then does without it', async () => {
  await add('article.*');
  const { client } = fixture;
  const remover = await fixture.database.pool.connect();
  try {
    await remover.query('begin; delete from content.hook');
    const json = articleBody({ title: 'Meanwhile', is_published: true });
    const writing = client.send('/api/articles', { method: 'POST', json });
    const waiting =
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await until('it waits', async () => (await query(waiting)).rows.length > 0);
    await remover.query('commit');
    expect((await writing).status).toBe(201);
  } finally {
    remover.release(true);
  }
});

test('no hook is added for a category that does not exist', async () => {
  const added = await hooks('add', receiver.url, '--events', 'article.*', '--category', '999999');
  expect([added.code, added.stderr]).toEqual([1, 'category 999999 does not exist\n']);
  expect((await hooks('list')).stdout).toContain('There are no hooks yet');
});

test('without a key no hook is added', async () => {
  const env = { DATABASE_URL: fixture.database.url };
  const args = ['services/content/src/cli.ts', 'hooks', 'add', receiver.url, '--events', 'article.*'];
  expect((await run(args, { env })).stderr).toContain('CONTENT_HOOKS_KEY is not set');
});
