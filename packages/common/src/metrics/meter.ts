/** A value of a {@link Meter}. */
interface Reading {
  value: number;
  labels?: Readonly<Record<string, string>>;
}

/** A figure of the service that is computed whenever the metrics are read. */
export interface Meter {
  /** Name in Prometheus's form: a counter ends with `_total`. */
  name: string;
  help: string;
  /** A counter only grows until the process ends; a gauge is a state. */
  kind: 'counter' | 'gauge';
  labels?: readonly string[];
  /** Its values now. If it fails, the metric is left out until it succeeds again. */
  read: () => readonly Reading[] | Promise<readonly Reading[]>;
}

/** The state of a pool, as `pg` reports it. */
interface PoolState {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** The connections of each pool by state, and the requests that wait for one. */
export function poolMeters(pools: Readonly<Record<string, PoolState>>): Meter[] {
  const each = (
    read: (state: PoolState, pool: string) => { labels: Record<string, string>; value: number }[],
  ) => Object.entries(pools).flatMap(([pool, state]) => read(state, pool));
  return [
    {
      name: 'database_pool_connections',
      help: 'Open connections to PostgreSQL, by pool and state',
      kind: 'gauge',
      labels: ['pool', 'state'],
      read: () =>
        each(({ totalCount, idleCount }, pool) => [
          { labels: { pool, state: 'busy' }, value: totalCount - idleCount },
          { labels: { pool, state: 'idle' }, value: idleCount },
        ]),
    },
    {
      name: 'database_pool_waiting',
      help: 'Requests that wait for a connection to PostgreSQL, by pool',
      kind: 'gauge',
      labels: ['pool'],
      read: () => each(({ waitingCount }, pool) => [{ labels: { pool }, value: waitingCount }]),
    },
  ];
}

/** Lookups in a cache since the process started. */
interface CacheCounts {
  /** Answers from memory. */
  readonly hits: number;
  readonly misses: number;
}

/** The answers that a cache had and those that it did not have. */
export function cacheMeter(cache: CacheCounts): Meter {
  return {
    name: 'cache_answers_total',
    help: 'Answers that may be cached, by whether they were',
    kind: 'counter',
    labels: ['result'],
    read: () => [
      { labels: { result: 'hit' }, value: cache.hits },
      { labels: { result: 'miss' }, value: cache.misses },
    ],
  };
}

/** Statements that each server answered since the process started. */
interface ReadCounts {
  readonly onReplica: number;
  readonly onPrimary: number;
}

/** Returns meters of the servers that answered public reads, by pool; none without a replica. */
export function readMeters(pools: Readonly<Record<string, ReadCounts | undefined>>): Meter[] {
  const counted = Object.entries(pools).flatMap(([pool, counts]) => (counts ? [{ pool, counts }] : []));
  if (counted.length === 0) return [];
  return [
    {
      name: 'database_reads_total',
      help: 'Public reads by the server that answered: the replica, or the primary instead',
      kind: 'counter',
      labels: ['pool', 'server'],
      read: () =>
        counted.flatMap(({ pool, counts }) => [
          { labels: { pool, server: 'replica' }, value: counts.onReplica },
          { labels: { pool, server: 'primary' }, value: counts.onPrimary },
        ]),
    },
  ];
}
