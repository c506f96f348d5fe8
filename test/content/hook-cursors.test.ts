import { randomBytes } from 'node:crypto';
import { isInCopy } from '@pressroom/client/hooks';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { HookStore } from '@pressroom/content/hooks/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, queriesOf, startContent } from '../support/content.ts';
import { inTurn } from '../support/history.ts';
import { HookReceiver, type Received } from '../support/hook-receiver.ts';
import { type Disk, MirrorOf, PUBLISHED } from '../support/mirror.ts';
import { until } from '../support/until.ts';

const KEY = randomBytes(32);
const SETTINGS = { CONTENT_HOOKS_KEY: KEY.toString('base64'), CONTENT_HOOKS_PRIVATE_HOSTS: '127.0.0.1' };
type Item = Parameters<typeof PUBLISHED.idOfItem>[0];

const ARTICLES = 4;
const WRITES = 24;

let content: ContentFixture;
let urls: string[];
const open: (() => Promise<void>)[] = [];
beforeAll(async () => {
  content = await contentFixture(SETTINGS);
  const replica = await startContent(content.database.url, SETTINGS);
  urls = [content.url, replica.url];
  open.push(replica.close, content.close);
});
afterAll(async () => {
  for (const close of open) await close();
});

const query = (sql: string, ...values: unknown[]) => content.database.pool.query(sql, values);

/** A copy of what is published, or one that goes on from what another has kept. */
function copy(disk?: Disk<Item>) {
  const limits = { snapshotLimit: () => 3, changesLimit: () => 2 };
  return new MirrorOf(PUBLISHED, { fields: 'default', server: inTurn(urls), ...limits, disk });
}

const titleOf = ({ copy }: Disk<Item>, id: number) =>
  Number((copy.get(`article:${id}`) as { title: string } | undefined)?.title);

async function receiver(): Promise<HookReceiver> {
  const one = await new HookReceiver().start();
  open.unshift(() => one.stop());
  const hook = { url: one.url, events: ['article.*'], categoryId: null, drafts: false };
  await new HookStore(queriesOf(content.database)).add(hook, new SecretBox(KEY));
  return one;
}

/** Writes an article in a transaction, which stays open until it is told to end. */
async function begin(id: number, title: number): Promise<() => Promise<void>> {
  const client = await content.database.pool.connect();
  await client.query('begin');
  await client.query('update content.article set title = $2 where id = $1', [id, String(title)]);
  return async () => {
    await client.query('commit');
    client.release();
  };
}

test('a copy at the cursor of an event has its change, also while other transactions stay open', async () => {
  const [first, second] = [await receiver(), await receiver()];
  // It refuses everything, so that the ledger has gone on before its second attempts.
  first.answer = (response) => response.writeHead(503).end();
  const { rows } = await query(
    `insert into content.article (title, slug, content, author, title_words, is_published, published_at)
     select '0', 'of-' || n, 'x', 'x', '{}', true, now() from generate_series(1, $1::integer) as n
     returning id`,
    ARTICLES,
  );
  const ids: number[] = rows.map(({ id }) => id);
  const mirror = copy();
  const checked: { received: Received; kept: Disk<Item> }[] = [];
  const check = async (received: Received) => {
    const { event } = received;
    // A replica may answer from a cache that is not a second old.
    await until('the copy has come so far', async () => {
      await mirror.catchUp();
      return isInCopy(event, mirror.disk.cursor ?? '');
    });
    // Two events tell of its creation, then one of each title.
    const earlier = second.received.slice(0, second.received.indexOf(received));
    const before = earlier.filter((one) => one.event.data.id === event.data.id).length;
    expect(titleOf(mirror.disk, event.data.id)).toBeGreaterThanOrEqual(before - 1);
    const kept = { copy: new Map(mirror.disk.copy), cursor: event.data.sync_cursor };
    checked.push({ received, kept });
  };
  const checkAll = async () => {
    while (checked.length < second.received.length) await check(second.received[checked.length] as Received);
  };

  // The last article is written by long transactions: they take their place in the ledger before the others,
  // and their number after them.
  const last = ids.at(-1) as number;
  const written = new Map(ids.map((id) => [id, 0]));
  const next = (id: number) => {
    const title = (written.get(id) ?? 0) + 1;
    written.set(id, title);
    return begin(id, title);
  };
  const told = (id: number) =>
    until('the write was told', () => second.typesOf(id).length === 2 + (written.get(id) ?? 0));
  for (let write = 1; write <= WRITES; write += 1) {
    const commit = write % 8 === 1 ? await next(last) : undefined;
    const short = ids[write % (ARTICLES - 1)] as number;
    await (await next(short))();
    await told(short);
    await checkAll();
    await commit?.();
  }
  await told(last);
  await checkAll();
  expect(checked.length).toBeGreaterThan(WRITES);

  // Whoever goes on from the cursor of any event comes to the same copy.
  for (const { kept } of checked.filter((_, index) => index % 5 === 0)) {
    const other = copy(kept);
    await until('it is the same', async () => {
      await other.catchUp();
      return ids.every((id) => titleOf(other.disk, id) === written.get(id));
    });
    expect(other.snapshots).toBe(0);
  }

  // The bodies of all attempts are the same, for either hook.
  const attempted = first.received.map(({ event }) => event.id);
  expect(attempted.length).toBeGreaterThan(0);
  first.answer = (response) => response.writeHead(204).end();
  await new HookStore(queriesOf(content.database)).resume(1);
  const bodies = new Map(second.received.map(({ event, body }) => [event.id, body]));
  await until('the other hook has all', () => {
    const [, ...again] = first.received.map(({ event }) => event.id);
    return new Set(again).size === bodies.size && attempted.every((id) => again.includes(id));
  });
  for (const { event, body } of first.received) expect(body).toBe(bodies.get(event.id));
});

test('an event from before the ledger began again has a cursor that sends to the snapshot', async () => {
  const to = await receiver();
  const { body } = await content.client.publish({ title: 'Of another history' });
  const told = await until('it was told', () =>
    to.received.find(({ event }) => event.data.id === body.data.id),
  );
  await query('select content.start_ledger_epoch()');
  const { cursor } = (await content.client.anonymously('/api/sync/snapshot')).body.meta;
  expect(isInCopy(told.event, cursor)).toBe(false);
  await until('the cursor is refused', async () => {
    const answer = await content.client.anonymously(
      `/api/sync/changes?cursor=${told.event.data.sync_cursor}`,
    );
    return answer.status === 409 && answer.body.code === 'snapshot_required';
  });
});

test('what waits when the ledger begins again, and what is replayed, has a cursor of the new history', async () => {
  const to = await receiver();
  const hooks = new HookStore(queriesOf(content.database));
  const id = (await hooks.list()).at(-1)?.id ?? 0;
  to.answer = (response) => response.writeHead(503).end();
  const begun = new Date();
  await content.client.publish({ title: 'Waits for the new history' });
  await until('it was refused', () => to.received.length > 0);
  const old = to.received[0] as Received;
  const mirror = copy();
  const isThere = (event: Received['event']) =>
    until('the copy has it', async () => {
      await mirror.catchUp();
      return isInCopy(event, mirror.disk.cursor ?? '');
    });
  await isThere(old.event);

  await query('select content.start_ledger_epoch()');
  to.answer = (response) => response.writeHead(204).end();
  await hooks.resume(id);
  const again = await until('it came again', () =>
    to.received.findLast(
      ({ event }) => event.id === old.event.id && event.data.sync_cursor !== old.event.data.sync_cursor,
    ),
  );
  await isThere(again.event);

  await query('select content.start_ledger_epoch()');
  const before = to.received.length;
  await hooks.replay(id, begun);
  await until('it is replayed', () => to.received.length === before + 2);
  for (const { event } of to.received.slice(before)) await isThere(event);
});
