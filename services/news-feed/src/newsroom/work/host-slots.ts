import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import pLimit, { type LimitFunction } from 'p-limit';
import type { NewsTables } from '../../tables.ts';
import { FETCH_LIMITS, type InSlot } from '../fetching/web-fetcher.ts';

/** At most this many requests to a host are open at once. */
export const REQUESTS_PER_HOST = 2;

/** How long a slot is held at most, in ms: a request, the wait for its turn, and some delay. */
const LEASE_MS = FETCH_LIMITS.totalMs + 15_000;

/** How often a slot is asked for that other workers hold, in ms. */
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
      insert into news.host_slot as held (host, slot, holder, lease_until)
      select ${host}, ${slot}::smallint, ${holder}::uuid, clock_timestamp() + ${LEASE_MS} * interval '1 ms'
      from news.commit_later()
      on conflict (host, slot) do update set holder = excluded.holder, lease_until = excluded.lease_until
        where held.lease_until <= clock_timestamp()
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
