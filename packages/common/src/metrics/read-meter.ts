import type { Meter } from './meter.ts';

/** How many statements each server answered since the process started. */
export interface ReadCounts {
  readonly onReplica: number;
  readonly onPrimary: number;
}

/** Where public reads were answered, by pool; nothing without a replica. */
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
