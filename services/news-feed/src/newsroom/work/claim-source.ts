import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { REQUESTS_PER_HOST } from './host-slots.ts';
import { isFree, leaseEnd } from './leases.ts';

/** A row of `news.source` that is to be polled, and that no worker has in hand. */
export function isDueSource(now: Date): RawBuilder<SqlBool> {
  return sql`state = 'active' and next_poll_at <= ${now} and ${isFree()}`;
}

/**
 * Takes the source that has been due for longest, and returns its id; undefined if there is none. Hosts of
 * which as many sources are in hand as may be asked at once are left out: others would wait in their places.
 *
 * @param inHand what the worker has in hand: a poll may make its source due again just before it ends
 */
export async function claimSource(
  db: Kysely<NewsTables>,
  now: Date,
  inHand: readonly number[],
): Promise<number | undefined> {
  // Stored addresses are normalized, without user names.
  const host = sql`split_part(url, '/', 3)`;
  const { rows } = await sql<{ id: number }>`
    update news.source set lease_until = ${leaseEnd()} where id = (
      select id from news.source
      where ${isDueSource(now)} and id <> all (${inHand}::bigint[]) and ${host} not in (
        select ${host} from news.source where lease_until > clock_timestamp()
        group by 1 having count(*) >= ${REQUESTS_PER_HOST}
      )
      order by next_poll_at, id limit 1 for update skip locked
    )
    returning id
  `.execute(db);
  return rows[0]?.id;
}

/** Gives back a source whose poll was given up. */
export async function releaseSource(db: Kysely<NewsTables>, id: number): Promise<void> {
  await db.updateTable('news.source').set({ lease_until: null }).where('id', '=', id).execute();
}
