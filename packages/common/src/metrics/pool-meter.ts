import type { Meter } from './meter.ts';

/** The state of a pool, as `pg` reports it. */
export interface PoolState {
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
