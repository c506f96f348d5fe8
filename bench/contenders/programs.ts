import { postmasterOf } from '../../test/support/processes.ts';
import { copyDatabase, createDatabase, startBenchPostgres } from '../database.ts';
import type { ContentContender, Settings } from './content.ts';
import { startDirectus } from './directus.ts';
import { startGhost } from './ghost.ts';
import { startMariaDb } from './mariadb.ts';
import { startPressroom } from './pressroom-content.ts';
import { startStrapi } from './strapi.ts';
import { startWordPress } from './wordpress.ts';

const ON_POSTGRES = { Pressroom: startPressroom, Directus: startDirectus, Strapi: startStrapi };

const ON_MARIADB = { Ghost: startGhost, WordPress: startWordPress };

export type ProgramName = keyof typeof ON_POSTGRES | keyof typeof ON_MARIADB;

export const PROGRAMS = Object.keys({ ...ON_POSTGRES, ...ON_MARIADB }) as ProgramName[];

export interface Programs extends AsyncDisposable {
  contenders: Required<ContentContender>[];
}

/**
 * Starts content servers, each with so many articles in a database of its own, and with these settings
 * instead of with its cache and without it. Those on MariaDB are left out where it, or they, cannot be
 * installed.
 */
export async function startPrograms(
  articles: number,
  names: readonly ProgramName[],
  settings?: Settings,
): Promise<Programs> {
  await using resources = new AsyncDisposableStack();
  const contenders: Required<ContentContender>[] = [];
  const add = (database: number, started: readonly ContentContender[] = []) => {
    for (const { process } of started) resources.defer(process.stop);
    contenders.push(...started.map((contender) => ({ ...contender, database })));
  };
  const chosen = <Start>(programs: Readonly<Record<string, Start>>) =>
    Object.entries(programs).filter(([name]) => names.some((one) => one === name));
  const [onPostgres, onMariaDb] = [chosen(ON_POSTGRES), chosen(ON_MARIADB)];
  if (onPostgres.length > 0) {
    const server = resources.use(await startBenchPostgres({ shared_buffers: '512MB' }));
    for (const [name, start] of onPostgres) {
      const create = start === startPressroom ? createDatabase : copyDatabase;
      const url = await create(server.url, `bench_${name.toLowerCase()}`);
      add(postmasterOf(server.dataDir), await start(url, articles, settings));
    }
  }
  if (onMariaDb.length > 0) {
    const database = await unlessLeftOut('Ghost and WordPress', startMariaDb(articles));
    if (database !== undefined) {
      resources.use(database);
      for (const [name, start] of onMariaDb)
        add(database.pid, await unlessLeftOut(name, start(database, settings)));
    }
  }
  const owned = resources.move();
  return { contenders, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Resolves to the program that was started, or undefined if it cannot be installed, and says why. */
function unlessLeftOut<Started>(name: string, started: Promise<Started>): Promise<Started | undefined> {
  return started.catch((error: unknown) => void console.warn(`without ${name}: ${error}`));
}
