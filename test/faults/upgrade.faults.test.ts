import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '@pressroom/common/database/migrations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../support/command.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';
import { EarlierBuild, earlierCommit } from './earlier-build.ts';
import { unhealthy } from './faults.ts';
import { Load } from './load.ts';
import { violations } from './observations.ts';
import type { Program } from './program.ts';
import { SinglePostgres } from './single-postgres.ts';
import { Stand, urlOf } from './stand.ts';

/** Time for which the old and the new build serve next to each other, in ms. */
const TOGETHER_MS = 10_000;

let earlier: EarlierBuild;
let stand: Stand;
let load: Load;

beforeAll(async () => {
  process.setMaxListeners(50);
  earlier = await EarlierBuild.at(await earlierCommit());
  stand = await Stand.open(await SinglePostgres.start(), earlier.directory);
  load = Load.start(stand);
  await load.worksAgain();
  await until('the ledger is followed', () => load.following);
});

afterAll(async () => {
  try {
    await load?.stop();
  } finally {
    await stand?.close();
    await earlier?.remove();
  }
});

/** Nothing failed since the last call, but for connections of the processes that were replaced. */
async function assertUnharmed(replaced: readonly Program[]): Promise<void> {
  const names = replaced.map(({ name }) => name);
  expect(violations(load.observations.take(), names)).toEqual([]);
  expect(await load.lostOrDoubled()).toEqual([]);
}

/** True if a mirror that has read from one replica goes on at the other: items are shown alike there. */
async function goesOn([one, other]: readonly [Program, Program]): Promise<boolean> {
  const path = '/api/v1/selected';
  const { body } = await send(`${urlOf(one)}${path}/snapshot?limit=1`);
  const { status } = await send(`${urlOf(other)}${path}/changes?cursor=${body.cursor}`);
  expect([200, 409]).toContain(status);
  return status === 200;
}

async function replace(programs: readonly Program[]): Promise<void> {
  load.killed = programs.map(({ name }) => name);
  await Promise.all(programs.map((program) => program.end('SIGTERM')));
  await Promise.all(programs.map((program) => program.startIn(ROOT)));
  await until('all serve', async () => (await unhealthy(stand)).length === 0);
  load.killed = [];
  await load.worksAgain();
}

test('the migrations of this build and its processes join an earlier build under load', async () => {
  load.observations.take();
  await migrate(stand.database.url, join(ROOT, 'migrations'));
  await load.worksAgain();
  await assertUnharmed([]);
  expect(await load.diverged()).toEqual([]);

  const [first, second] = [0, 1].map((index) =>
    Object.values(stand.services).map((replicas) => replicas[index] as Program),
  ) as [Program[], Program[]];
  await replace(second);
  const isAlike = await goesOn(stand.services['news-feed']);
  await delay(TOGETHER_MS);
  await assertUnharmed(second);
  if (isAlike) expect(await load.diverged()).toEqual([]);

  await replace(first);
  await assertUnharmed(first);
  // A mirror begins again whenever it meets the other build, and is exact when there is one.
  expect(await (isAlike ? load.diverged() : load.differences())).toEqual([]);
});
