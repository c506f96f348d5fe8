import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { NO_NGINX } from '../support/no-nginx.ts';
import { type RunningProxy, startProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { poll } from './clients.ts';
import { PatroniCluster } from './failover/cluster.ts';
import { FAILOVER_FAULTS } from './failover/faults.ts';
import { failoverPrograms, whatIsMissing } from './failover/programs.ts';
import type { Removals } from './failover/removals.ts';
import { recovery } from './faults.ts';
import { Load } from './load.ts';
import { Observations, violations } from './observations.ts';
import { Stand } from './stand.ts';
import { faultsTable, rowOf, type TableRow, writeTable } from './table.ts';

/** Requests sent within so many ms of a fault's beginning must have their answers before its end. */
const FIRST_MS = 1000;

/** Paths that readers request from the proxy, which keeps the answers. */
const KEPT = ['/api/articles', '/api/categories', '/api/v1/items'];

let missing: string | undefined;
let stand: Stand<PatroniCluster>;
let load: Load;
let removals: Removals;
let proxy: RunningProxy | undefined;
/** Answers that readers got through the proxy. */
const kept = new Observations();
const stopping = new AbortController();
let reading: Promise<unknown>;
const rows: TableRow[] = [];
let reads = 0;

beforeAll(async () => {
  missing = await whatIsMissing();
  if (missing !== undefined) return;
  process.setMaxListeners(50);
  stand = await Stand.open(await PatroniCluster.start(await failoverPrograms()));
  load = Load.start(stand);
  load.plan();
  removals = load.remove();
  await load.worksAgain();
  await until('the ledger is followed', () => load.following);
  proxy = await startProxy({
    CONTENT_UPSTREAM: stand.services.content.map(({ port }) => `127.0.0.1:${port}`).join(),
    NEWS_FEED_UPSTREAM: stand.services['news-feed'].map(({ port }) => `127.0.0.1:${port}`).join(),
  });
  for (const path of proxy === undefined ? [] : KEPT) {
    await until('the proxy keeps it', async () => (await fetch(`${proxy?.url}${path}`)).ok);
  }
  reading = readThrough(proxy);
});

/** Reads what the proxy keeps; does nothing where there is no nginx. */
async function readThrough(through: RunningProxy | undefined): Promise<void> {
  if (through === undefined) return;
  const replica = () => ({ name: 'the proxy', url: through.url });
  await poll({ observations: kept, replica, signal: stopping.signal }, KEPT);
}

afterAll(async () => {
  if (load === undefined) return;
  stopping.abort();
  await reading;
  await proxy?.close();
  try {
    await load.stop();
  } finally {
    await stand.close();
  }
  const read = proxy ? `${reads} reads, all of them 200` : `reading ${NO_NGINX}`;
  console.log(`${removals.acknowledged} removals; through the proxy: ${read}`);
  writeTable(faultsTable(rows, load.acknowledged));
});

beforeEach(({ skip }) => {
  skip(missing !== undefined, missing);
});

/** Lets something happen, and asserts that all went as it must. */
async function suffer(name: string, happen: () => Promise<unknown>): Promise<void> {
  load.observations.take();
  load.takeUnalive();
  load.takeSlowestPulse();
  const earlier = kept.take();
  const { acknowledged } = removals;
  const begun = performance.now();
  await happen();
  const seconds = Math.round((performance.now() - begun) / 1000);
  const led = performance.now();
  await Promise.all([recovery(stand), load.writesAgain()]);
  const recoveryMs = performance.now() - led;
  await until('what was asked at the beginning has its answer', () =>
    load.observations.answeredUntil(begun + FIRST_MS),
  );
  await load.worksAgain();
  await until('articles are removed', () => removals.acknowledged > acknowledged);
  const seen = load.observations.take();
  rows.push(rowOf({ name, seconds }, seen, { recoveryMs, pulseMs: load.takeSlowestPulse() }));
  expect(violations(seen, [])).toEqual([]);
  expect(load.takeUnalive()).toEqual([]);
  expect(removals.served).toEqual([]);
  const during = kept.take();
  expect(during.length > 0, 'readers are served through the proxy').toBe(proxy !== undefined);
  const throughProxy = [...earlier, ...during];
  reads += throughProxy.length;
  expect(throughProxy.filter(({ status }) => status !== 200)).toEqual([]);
  expect(await load.lostOrDoubled()).toEqual([]);
  expect(await load.diverged()).toEqual([]);
}

test.for(FAILOVER_FAULTS)('$name', async (fault) => {
  const { database } = stand;
  const former = await database.primary();
  await suffer(fault.name, () => fault.strike(database, former));
  const { return: back } = fault;
  if (back === undefined) return database.whole();
  await suffer(back.name, async () => {
    await back.end(former);
    await database.whole();
  });
});

test('every event of every article was delivered, in its order', async () => {
  await load.stop();
  await load.everythingTold();
});
