import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { ChangeListener } from '../database/change-listener.ts';
import { type ConnectionLog, openPool, queriesOn } from '../database/database.ts';
import { openReads, type Primary, type ReadPool } from '../database/read-pool.ts';
import { type CommonConfig, integer, setting } from '../start/config.ts';
import { SearchGate } from './search.ts';

/** A search's share of the time of a statement (2 s of 5): its reader waits, and each keeps a core busy. */
const TIME_SHARE = 0.4;

interface OpenSearches<Tables> {
  gate: SearchGate<Tables>;
  /** The connections of searches, by the name that the metrics have for them. */
  pools: Record<string, pg.Pool>;
  /** The choice between the replica and the primary; absent without a replica. */
  readPool: ReadPool | undefined;
  close: () => Promise<void>;
}

interface SearchParts {
  config: Primary<unknown>['config'] & Pick<CommonConfig, 'DATABASE_STATEMENT_TIMEOUT_MS'>;
  /** The most concurrent searches, each on a separate connection. */
  concurrency: number;
  name: string;
  changes: ChangeListener;
  log: ConnectionLog;
}

/** Opens the connections of searches, to the replica if there is one. */
export function openSearches<Tables>({ config, concurrency, ...shared }: SearchParts): OpenSearches<Tables> {
  const own = {
    ...config,
    DATABASE_POOL_SIZE: concurrency,
    DATABASE_STATEMENT_TIMEOUT_MS: Math.ceil(config.DATABASE_STATEMENT_TIMEOUT_MS * TIME_SHARE),
  };
  const pool = openPool(own, shared.name, shared.log);
  const db: Kysely<Tables> = queriesOn<Tables>(pool);
  const reads = openReads({ ...shared, config: own, pool, db });
  return {
    gate: new SearchGate(reads.db, concurrency),
    pools: { search: pool, ...(reads.replica && { search_replica: reads.replica }) },
    readPool: reads.pool,
    close: async () => {
      await Promise.all([db.destroy(), reads.close()]);
    },
  };
}

/** The setting for the most concurrent searches. */
export const searchConcurrency = setting(
  integer(1, 1000).default(4),
  'Concurrent searches per process, on separate connections; further ones get 503.',
);
