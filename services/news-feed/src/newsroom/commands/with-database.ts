import { withDatabase as withAnyDatabase } from '@pressroom/common/database/database-url';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** Runs `work` with the database that the environment names, then closes it. */
export function withDatabase<T>(work: (db: Kysely<NewsTables>) => Promise<T>): Promise<T> {
  return withAnyDatabase('pressroom newsroom', work);
}
