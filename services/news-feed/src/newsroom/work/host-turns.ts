import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** Waits until a request to the host may begin. Throws the signal's reason. */
export type TakeTurn = (host: string, signal: AbortSignal) => Promise<void>;

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
      values (${host}, clock_timestamp() + ${DISTANCE_MS} * interval '1 ms')
      on conflict (host) do update
        set next_at = greatest(turn.next_at, clock_timestamp()) + ${DISTANCE_MS} * interval '1 ms'
      returning (extract(epoch from next_at - clock_timestamp()) * 1000)::float8 as wait
    `.execute(db);
    const wait = (rows[0]?.wait ?? DISTANCE_MS) - DISTANCE_MS;
    if (wait > 0) await delay(wait, undefined, { signal });
  };
}
