import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { FakeClock, faketimeLibrary, NO_FAKETIME } from './clock.ts';
import {
  clockFaults,
  DEPENDENCY_FAULTS,
  EVENT_FAULTS,
  type Fault,
  recovery,
  SERVICE_FAULTS,
  type SingleStand,
  unhealthy,
} from './faults.ts';
import { Load } from './load.ts';
import { violations } from './observations.ts';
import { SinglePostgres } from './single-postgres.ts';
import { canMount, NOT_ROOT } from './small-disk.ts';
import { Stand } from './stand.ts';
import { faultsTable, rowOf, type TableRow, writeTable } from './table.ts';

/** Requests sent within so many ms of a fault's beginning must have their answers before its end. */
const FIRST_MS = 1000;

/** The most memory that a process may hold, in bytes. */
const MEMORY_BYTES = 300 * 2 ** 20;

/** In CI nothing may be left out. */
const inCi = process.env.CI === 'true';

let stand: SingleStand;
let load: Load;
const rows: TableRow[] = [];

beforeAll(async () => {
  // Each process and each disk is ended with this one.
  process.setMaxListeners(50);
  stand = await Stand.open(await SinglePostgres.start());
  load = Load.start(stand);
  load.plan();
  await load.worksAgain();
  await until('the ledger is followed', () => load.following);
});

afterAll(async () => {
  // Nothing to end where nothing has started.
  if (load === undefined) return;
  try {
    await load.stop();
  } finally {
    await stand.close();
  }
  writeTable(faultsTable(rows, load.acknowledged));
});

/** Begins a fault and ends it, no sooner than everything asked at its beginning has its answer. */
async function strike(fault: Fault): Promise<void> {
  await fault.begin(stand);
  const begun = performance.now();
  await delay(fault.seconds * 1000);
  await until('what was asked when the fault began is answered while it lasts', () =>
    load.observations.answeredUntil(begun + FIRST_MS),
  );
  await fault.end(stand);
}

async function suffer(fault: Fault): Promise<void> {
  load.observations.take();
  load.takeUnalive();
  load.takeSlowestPulse();
  const killed = fault.killed?.(stand) ?? [];
  load.killed = killed;
  await strike(fault);
  const recoveryMs = await recovery(stand);
  load.killed = [];
  // Requests sent during the fault have their answers then, and the next fault finds nothing left of it.
  await load.worksAgain();
  const seen = load.observations.take();
  rows.push(rowOf(fault, seen, { recoveryMs, pulseMs: load.takeSlowestPulse() }));
  expect(seen.length).toBeGreaterThan(0);
  expect(violations(seen, killed)).toEqual([]);
  expect(load.takeUnalive()).toEqual([]);
  expect(await load.lostOrDoubled()).toEqual([]);
  expect(await load.diverged()).toEqual([]);
}

describe('under load', () => {
  test.for(DEPENDENCY_FAULTS)('$name', async (fault, { skip }) => {
    skip(fault.fillsDisk === true && !canMount() && !inCi, NOT_ROOT);
    await suffer(fault);
  });

  test.for(SERVICE_FAULTS)('$name', async (fault) => {
    await suffer(fault);
  });

  test.for(EVENT_FAULTS)('$name', async (fault) => {
    await suffer(fault);
  });

  describe('with their own clock', () => {
    let clock: FakeClock;

    beforeAll(async () => {
      if (faketimeLibrary() === undefined && !inCi) return;
      clock = await FakeClock.create();
      load.killed = stand.replicas.map(({ name }) => name);
      const programs = stand.replicas;
      await Promise.all(programs.map((program) => program.end()));
      await Promise.all(programs.map((program) => program.startWith(clock.env)));
      await until('all serve again', async () => (await unhealthy(stand)).length === 0);
      await load.worksAgain();
      load.killed = [];
    });

    afterAll(() => clock?.remove());

    test.for(clockFaults(() => clock))('$name', async (fault, { skip }) => {
      skip(faketimeLibrary() === undefined && !inCi, NO_FAKETIME);
      await suffer(fault);
    });
  });

  test('every event of every article was delivered, in its order, whoever was killed before its delivery', async () => {
    await load.stop();
    await load.everythingTold();
  });

  test('memory is bounded', () => {
    const peaks = stand.replicas.map(({ name, peakBytes }) => ({ name, peakBytes }));
    expect(peaks.filter(({ peakBytes }) => peakBytes > MEMORY_BYTES)).toEqual([]);
  });
});
