import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import type { PatroniCluster } from './cluster.ts';
import type { Member } from './member.ts';

/** A fault of the primary of a cluster, or around it. */
export interface FailoverFault {
  name: string;
  /** Begins it, and resolves when there is a primary that takes writes. */
  strike(cluster: PatroniCluster, primary: Member): Promise<unknown>;
  /** Ends it, where it has not ended by itself. */
  return?: { name: string; end(primary: Member): Promise<unknown> };
}

/** Longer than any request may take, in ms. */
const OUTLASTS_REQUESTS_MS = 12_000;

/** Lets a fault begin, and waits for another primary. */
const deposing =
  (begin: (primary: Member) => Promise<unknown>): FailoverFault['strike'] =>
  async (cluster, primary) => {
    await begin(primary);
    await cluster.primaryAfter(primary);
  };

/** Everything that a cluster must bear without losing what it acknowledged. */
export const FAILOVER_FAULTS: readonly FailoverFault[] = [
  {
    name: 'the primary and its Patroni are killed',
    strike: deposing((primary) => primary.kill()),
    return: { name: 'the killed primary comes back', end: (primary) => primary.start() },
  },
  {
    name: 'the primary stands still',
    strike: deposing((primary) => primary.hang()),
    return: { name: 'the primary that stood still goes on', end: (primary) => primary.goOn() },
  },
  {
    name: 'Patroni of the primary is killed, and its PostgreSQL runs on',
    strike: deposing((primary) => primary.killPatroni()),
    return: { name: 'Patroni of that one comes back', end: (primary) => primary.start() },
  },
  { name: 'an operator switches over', strike: deposing((primary) => primary.switchOver()) },
  {
    name: 'the primary is cut off from etcd',
    strike: deposing((primary) => primary.etcd.refuse()),
    return: { name: 'it reaches etcd again', end: (primary) => primary.etcd.accept() },
  },
  {
    name: 'no member reaches etcd',
    strike: async (cluster, primary) => {
      await Promise.all(cluster.members.map(({ etcd }) => etcd.refuse()));
      await until('the primary gives up', async () => !(await primary.isPrimary()));
      await delay(OUTLASTS_REQUESTS_MS);
      await Promise.all(cluster.members.map(({ etcd }) => etcd.accept()));
      await cluster.primary();
    },
  },
];
