import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from './database.ts';
import { historyOf, inTurn, type Statements, write } from './history.ts';
import { Crash, type Disk, type MirroredSet, MirrorOf } from './mirror.ts';
import { until } from './until.ts';

/** Random histories to run; `pnpm test:long` sets more. */
const HISTORIES = Number(process.env.MIRROR_HISTORIES ?? 100);

/** Two processes of a service on one database. */
interface Replicas {
  urls: readonly [string, string];
  database: TestDatabase;
  close: () => Promise<void>;
}

/** A set that is written and mirrored at once. */
export interface WrittenSet<Item, Id, Fields> {
  /** Its name in that of the test. */
  name: string;
  start: () => Promise<Replicas>;
  set: MirroredSet<Item, Id, Fields>;
  fields: readonly Fields[];
  statements: Statements;
  /** Statements that empty it. */
  clear: string;
  /**
   * The items as the API should show them, by the names of ids: read from the tables, not from the service.
   */
  truth: (pool: TestDatabase['pool'], fields: Fields) => Promise<Map<string, unknown>>;
}

/** Tests that a mirror holds exactly the set after each of many random histories. */
export function testMirrorOf<Item, Id, Fields>(written: WrittenSet<Item, Id, Fields>): void {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await written.start();
  });
  afterAll(() => replicas.close());

  it(
    `holds exactly ${written.name} after each of ${HISTORIES} random histories`,
    async () => {
      const { pool, url } = replicas.database;
      const history = fc.asyncProperty(
        historyOf(written.statements, written.fields),
        async ({ writers, fields, ...mirroring }) => {
          const replica = inTurn(mirroring.replicas);
          const crashes = [...mirroring.crashes];
          const options = {
            fields,
            server: () => replicas.urls[replica()] ?? '',
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
          const start = (disk?: Disk<Item>) =>
            new MirrorOf(written.set, { ...options, ...(disk && { disk }) });

          let writing = true;
          const done = Promise.all(writers.map((writer) => write(url, pool, writer))).finally(() => {
            writing = false;
          });
          let mirror = start();
          do mirror = await follow(start, mirror.disk);
          while (writing);
          await done;

          const truth = await written.truth(pool, fields);
          await until('the copy equals the set', async () => {
            mirror = await follow(start, mirror.disk);
            return equal(mirror.disk.copy, truth);
          }).catch(() => undefined);
          expect(sorted(mirror.disk.copy)).toEqual(sorted(truth));
        },
      );
      await fc.assert(
        history.beforeEach(() => pool.query(written.clear).then(() => undefined)),
        {
          numRuns: HISTORIES,
          // A race does not fail the same way again, so the example cannot be shrunk.
          endOnFailure: true,
        },
      );
    },
    600_000 + HISTORIES * 5_000,
  );
}

/** Follows the server until it has nothing more, starting again from what is on disk after each crash. */
async function follow<Item, Id, Fields>(
  start: (disk?: Disk<Item>) => MirrorOf<Item, Id, Fields>,
  disk?: Disk<Item>,
): Promise<MirrorOf<Item, Id, Fields>> {
  const mirror = start(disk);
  try {
    await mirror.catchUp();
    return mirror;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return follow(start, mirror.disk);
  }
}

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
