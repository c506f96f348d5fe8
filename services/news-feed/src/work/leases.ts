import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Lease, secondsFromNow } from '@pressroom/common/database/leases';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { LimitFunction } from 'p-limit';
import pLimit from 'p-limit';
import { FETCH_LIMITS, type InSlot, type TakeTurn } from '../reading/web-fetcher.ts';
import type { NewsTables } from '../tables.ts';

export const SOURCES = new Lease({
  table: 'news.source',
  key: ['id'],
  until: 'lease_until',
});

/** A row of `news.source` that is to be polled, and that no worker has in hand. */
export function isDueSource(now: Date): RawBuilder<SqlBool> {
  return sql`state = 'active' and next_poll_at <= ${now} and ${SOURCES.isFree()}`;
}

/**
 * Takes the source that has been due for longest, and returns its id; undefined if there is none. Hosts of
 * which as many sources are in hand as may be asked at once are left out: others would wait in their places.
 *
 * @param holder the id of the worker
 * @param inHand what the worker has in hand: a poll may make its source due again just before it ends
 */
export async function claimSource(
  db: Kysely<NewsTables>,
  holder: string,
  now: Date,
  inHand: readonly number[],
): Promise<number | undefined> {
  // Stored addresses are normalized, without user names.
  const host = sql`split_part(url, '/', 3)`;
  const [claimed] = await SOURCES.claim<{ id: number }>(db, {
    due: sql`${isDueSource(now)} and id <> all (${inHand}::bigint[]) and ${host} not in (
      select ${host} from news.source where ${SOURCES.isHeld()}
      group by 1 having count(*) >= ${REQUESTS_PER_HOST}
    )`,
    order: sql`next_poll_at, id`,
    most: 1,
    set: sql`holder = ${holder}`,
    returning: sql`id`,
  });
  return claimed?.id;
}

/** Renews leases, but none that a poll has ended just now. */
export async function renewSources(
  db: Kysely<NewsTables>,
  holder: string,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await SOURCES.renew(db, sql`id = any(${ids}) and holder = ${holder} and lease_until is not null`);
}

/** Gives back a source whose poll was given up, unless another worker has it by now. */
export async function releaseSource(db: Kysely<NewsTables>, holder: string, id: number): Promise<void> {
  await db
    .updateTable('news.source')
    .set({ lease_until: null })
    .where('id', '=', id)
    .where('holder', '=', holder)
    .execute();
}

/** At most this many requests to a host are open at once. */
const REQUESTS_PER_HOST = 2;

const SLOTS = new Lease({
  table: 'news.host_slot',
  key: ['host', 'slot'],
  until: 'lease_until',
  // A request, the wait for its turn, and some delay.
  seconds: FETCH_LIMITS.totalMs / 1000 + 15,
});

/** Interval of requests for a slot that another worker holds, in ms. */
const RETRY_MS = 200;

/**
 * Slots that all workers on a database share, with leases by the database's clock. The requests of a worker
 * wait for each other in their order, so that one at a time asks the database.
 */
export function sharedSlots(db: Kysely<NewsTables>): InSlot {
  const queues = new Map<string, LimitFunction>();
  return async (host, signal, work) => {
    const queue = queues.get(host) ?? pLimit(REQUESTS_PER_HOST);
    queues.set(host, queue);
    try {
      return await queue(() => holding(db, host, signal, work));
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(host);
    }
  };
}

async function holding<T>(
  db: Kysely<NewsTables>,
  host: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const holder = randomUUID();
  for (;;) {
    signal.throwIfAborted();
    if (await takeSlot(db, host, holder)) break;
    await delay(RETRY_MS, undefined, { signal });
  }
  try {
    return await work();
  } finally {
    // If it fails, the lease ends by itself.
    await giveBack(db, host, holder).catch(() => undefined);
  }
}

/** Takes a slot that is free again; false if there is none. A crash may take the lease back. */
async function takeSlot(db: Kysely<NewsTables>, host: string, holder: string): Promise<boolean> {
  for (let slot = 1; slot <= REQUESTS_PER_HOST; slot += 1) {
    const { rows } = await sql`
      insert into news.host_slot (host, slot, holder, lease_until)
      select ${host}, ${slot}::smallint, ${holder}::uuid, ${SLOTS.end()}
      from news.commit_later()
      on conflict (host, slot) do update set holder = excluded.holder, lease_until = excluded.lease_until
        where ${SLOTS.isFree()}
      returning slot
    `.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}

async function giveBack(db: Kysely<NewsTables>, host: string, holder: string): Promise<void> {
  await sql`
    delete from news.host_slot using news.commit_later() where host = ${host} and holder = ${holder}
  `.execute(db);
}

/** The time between the beginnings of two requests for pages of a host, in ms. */
const DISTANCE_MS = 1000;

/**
 * Turns that all workers on a database share: the next one of each host is kept there, by the database's
 * clock.
 */
export function sharedTurns(db: Kysely<NewsTables>): TakeTurn {
  return async (host, signal) => {
    const { rows } = await sql<{ wait: number }>`
      insert into news.host_turn as turn (host, next_at)
      values (${host}, ${secondsFromNow(DISTANCE_MS / 1000)})
      on conflict (host) do update
        set next_at = greatest(turn.next_at, clock_timestamp()) + ${DISTANCE_MS} * interval '1 ms'
      returning (extract(epoch from next_at - clock_timestamp()) * 1000)::float8 as wait
    `.execute(db);
    const wait = (rows[0]?.wait ?? DISTANCE_MS) - DISTANCE_MS;
    if (wait > 0) await delay(wait, undefined, { signal });
  };
}
