import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** How long a worker that is gone keeps what it had in hand, in seconds. */
const LEASE_SECONDS = 30;

/** How often leases are renewed, in ms. */
export const RENEW_MS = 10_000;

/** The end of a lease that begins now. By the database's clock, which workers share. */
export function leaseEnd(): RawBuilder<Date> {
  return sql`clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'`;
}

/** A row that no worker has in hand. */
export function isFree(): RawBuilder<SqlBool> {
  return sql`(lease_until is null or lease_until <= clock_timestamp())`;
}

/** What a worker has in hand. */
export interface InHand {
  sources: readonly number[];
  schedules: readonly string[];
}

/**
 * Renews leases, but none that the work has ended just now. A locked row is being written at the moment, and
 * cannot be taken.
 */
export async function renewLeases(db: Kysely<NewsTables>, { sources, schedules }: InHand): Promise<void> {
  if (sources.length > 0) {
    await sql`
      update news.source set lease_until = ${leaseEnd()} where id in (
        select id from news.source where id = any(${sources}) and lease_until is not null for update skip locked
      )
    `.execute(db);
  }
  if (schedules.length > 0) {
    await sql`
      update news.schedule set lease_until = ${leaseEnd()} where name in (
        select name from news.schedule where name = any(${schedules}) and lease_until is not null for update skip locked
      )
    `.execute(db);
  }
}
