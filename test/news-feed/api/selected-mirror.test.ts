import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { historyArbitrary, inTurn, write } from '../../support/history.ts';
import { Crash, Mirror } from '../../support/mirror.ts';
import {
  type NewsFeedFixture,
  newsFeedFixture,
  type RunningNewsFeed,
  startNewsFeed,
} from '../../support/news-feed.ts';
import { selectedSet } from '../../support/selected-set.ts';
import { until } from '../../support/until.ts';

/** How many random histories run; `pnpm test:long` sets more. */
const HISTORIES = Number(process.env.MIRROR_HISTORIES ?? 200);

let feed: NewsFeedFixture;
let replica: RunningNewsFeed;

beforeAll(async () => {
  feed = await newsFeedFixture();
  replica = await startNewsFeed(feed.database.url);
});

afterAll(async () => {
  await replica.close();
  await feed.close();
});

/** Follows the server until it has nothing more, starting again from what is on disk after each crash. */
async function follow(start: (disk?: Mirror['disk']) => Mirror, disk?: Mirror['disk']): Promise<Mirror> {
  const mirror = start(disk);
  try {
    await mirror.catchUp();
    return mirror;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return follow(start, mirror.disk);
  }
}

it(
  `holds exactly the selected set after each of ${HISTORIES} random histories`,
  async () => {
    const { pool, url } = feed.database;
    const history = fc.asyncProperty(historyArbitrary, async ({ writers, fields, ...mirroring }) => {
      const replicas = inTurn(mirroring.replicas);
      const crashes = [...mirroring.crashes];
      const options = {
        fields,
        server: () => (replicas() === 0 ? feed.url : replica.url),
        snapshotLimit: inTurn(mirroring.snapshotLimits),
        changesLimit: inTurn(mirroring.changesLimits),
        mayCrash: () => {
          const [next] = crashes;
          if (next === 0) {
            crashes.shift();
            throw new Crash();
          }
          if (next !== undefined) crashes[0] = next - 1;
        },
      };
      const start = (disk?: Mirror['disk']) => new Mirror({ ...options, ...(disk && { disk }) });

      let writing = true;
      const written = Promise.all(writers.map((writer) => write(url, pool, writer))).finally(() => {
        writing = false;
      });
      let mirror = start();
      do mirror = await follow(start, mirror.disk);
      while (writing);
      await written;

      const truth = await selectedSet(pool, fields);
      await until('the copy equals the set', async () => {
        mirror = await follow(start, mirror.disk);
        return equal(mirror.disk.copy, truth);
      }).catch(() => undefined);
      expect(sorted(mirror.disk.copy)).toEqual(sorted(truth));
    });
    await fc.assert(
      history.beforeEach(() => pool.query('delete from news.item').then(() => undefined)),
      {
        numRuns: HISTORIES,
        // A race does not fail the same way again, so the example cannot be shrunk.
        endOnFailure: true,
      },
    );
  },
  600_000 + HISTORIES * 5_000,
);

function sorted(items: Map<string, unknown>): [string, unknown][] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1));
}

function equal(copy: Map<string, unknown>, truth: Map<string, unknown>): boolean {
  try {
    expect(sorted(copy)).toEqual(sorted(truth));
    return true;
  } catch {
    return false;
  }
}
