import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { ChangeListener } from './change-listener.ts';
import { type ConnectionLog, type DatabaseConfig, openPool, queriesOn } from './database.ts';
import { ReadPool } from './read-pool.ts';

/** The longest that a read waits for a connection to the replica, in ms, before it goes to the primary. */
const CONNECT_MS = 2000;

/** Where public reads go. */
export interface Reads<Tables> {
  /** The query builder for single statements that only read. */
  db: Kysely<Tables>;
  /** The connections to the replica, and the choice between it and the primary; absent without a replica. */
  replica?: pg.Pool;
  pool?: ReadPool;
  /** Closes the connections to the replica. */
  close: () => Promise<void>;
}

/** What {@link openReads} needs to know about the primary. */
export interface Primary<Tables> {
  config: DatabaseConfig & { DATABASE_READ_URL?: string | undefined };
  name: string;
  pool: pg.Pool;
  db: Kysely<Tables>;
  /** It must follow the WAL if there is a replica. */
  changes: ChangeListener;
  log: ConnectionLog;
}

/** Opens the replica that `DATABASE_READ_URL` names; without one, reads go to the primary as they are. */
export function openReads<Tables>({ config, name, pool, db, changes, log }: Primary<Tables>): Reads<Tables> {
  const { DATABASE_READ_URL: url, DATABASE_DIRECT_URL: _, ...rest } = config;
  if (url === undefined) return { db, close: async () => undefined };
  const wait = Math.min(config.DATABASE_CONNECT_TIMEOUT_MS ?? CONNECT_MS, CONNECT_MS);
  const own = { ...rest, DATABASE_URL: url, DATABASE_CONNECT_TIMEOUT_MS: wait };
  const replica = openPool(own, name, log);
  const { position } = changes;
  const reads = new ReadPool({ primary: pool, replica, lease: changes, position, log });
  return { db: queriesOn<Tables>(reads), replica, pool: reads, close: () => reads.end() };
}
