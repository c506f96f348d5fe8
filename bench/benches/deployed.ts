import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { postmasterOf } from '../../test/support/processes.ts';
import { startProxy } from '../../test/support/proxy.ts';
import type { Bench } from '../bench.ts';
import type { ContentContender } from '../contenders/content.ts';
import { startDirectus } from '../contenders/directus.ts';
import { startGhost } from '../contenders/ghost.ts';
import { unlessLeftOut } from '../contenders/left-out.ts';
import { type MariaDb, startMariaDb } from '../contenders/mariadb.ts';
import { installPeers } from '../contenders/peer.ts';
import { startPressroom } from '../contenders/pressroom-content.ts';
import { startWordPress } from '../contenders/wordpress.ts';
import { copyDatabase, createDatabase, startBenchPostgres } from '../database.ts';
import { siteMix } from '../deployed/mix.ts';
import { openLoad } from '../deployed/open-load.ts';
import type { Figure } from '../figures/figure.ts';
import { heldRate } from '../held-rate.ts';
import { deployedTables } from '../report/deployed.ts';
import { sectionOf } from '../report/section.ts';
import { usageOf } from '../usage.ts';

/** Rising rates of requests, a second. */
const RATES = [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800];

/** The 99th percentile up to which a rate counts as held, in ms. */
const HELD_MS = 1000;

/** How long each rate is sent at least, in ms, and how many requests: one of a thousand is the p99.9. */
const DURATION_MS = 6000;
const REQUESTS = 1000;

const DOMAIN = 'site.example';

/** A program with its database. */
interface Deployed extends AsyncDisposable {
  contender: ContentContender;
  databasePid: number;
}

async function onPostgres(
  create: typeof createDatabase,
  start: (url: string) => Promise<ContentContender[]>,
): Promise<Deployed> {
  await using resources = new AsyncDisposableStack();
  const server = resources.use(await startBenchPostgres({ shared_buffers: '512MB' }));
  const contenders = await start(await create(server.url, 'deployed'));
  return deployedWith(resources, contenders, postmasterOf(server.dataDir));
}

async function onMariaDb(
  articles: number,
  start: (database: MariaDb) => Promise<ContentContender[]>,
): Promise<Deployed> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await startMariaDb(articles));
  return deployedWith(resources, await start(database), database.pid);
}

/** The first of the contenders: with its cache, where it has one. */
function deployedWith(
  resources: AsyncDisposableStack,
  [contender]: readonly ContentContender[],
  databasePid: number,
): Deployed {
  if (contender === undefined) throw new Error('nothing was started');
  resources.defer(contender.process.stop);
  const owned = resources.move();
  return { contender, databasePid, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Each keeps its answers as long as Pressroom's may be kept: a minute. */
const PROGRAMS: Readonly<Record<string, (articles: number) => Promise<Deployed | undefined>>> = {
  Pressroom: (articles) =>
    // As shipped, but for the one key that the writes of the mix share.
    onPostgres(createDatabase, (url) =>
      startPressroom(url, articles, { '': { CONTENT_RATE_LIMIT: '60', TRUST_PROXY: '1' } }),
    ),
  Directus: (articles) => {
    installPeers();
    // Without the purge, after which its answers say that no proxy may keep them.
    const kept = { CACHE_ENABLED: 'true', CACHE_TTL: '1m', CACHE_CONTROL_S_MAXAGE: '60' };
    return onPostgres(copyDatabase, (url) => startDirectus(url, articles, { '': kept }));
  },
  Ghost: (articles) => {
    const kept = { caching__contentAPI__maxAge: '60' };
    return unlessLeftOut(
      'Ghost',
      onMariaDb(articles, (database) => startGhost(database, kept)),
    );
  },
  WordPress: (articles) => unlessLeftOut('WordPress', onMariaDb(articles, startWordPress)),
};

/** Measures a program behind the proxy, until a rate is not held. */
async function measure({ contender, databasePid }: Deployed, articles: number): Promise<Figure[]> {
  const port = await findFreePort();
  const proxy = await startProxy({
    DOMAIN,
    TLS_LISTEN: `127.0.0.1:${port}`,
    // The bench speaks for many readers, as a load balancer does.
    TRUSTED_PROXIES: '127.0.0.1',
    CONTENT_UPSTREAM: `127.0.0.1:${contender.process.port}`,
  });
  if (proxy === undefined) throw new Error('there is no nginx on this machine');
  await using resources = new AsyncDisposableStack();
  resources.defer(proxy.close);
  const request = siteMix(contender, articles);
  const send = async (rate: number) => {
    const durationMs = Math.max(DURATION_MS, (REQUESTS * 1000) / rate);
    const load = { port, host: `content.${DOMAIN}`, request, rate, durationMs };
    const { p999, lost, ...result } = await openLoad(load);
    const pids = [proxy.pid, contender.process.pid, databasePid];
    const memory = pids.reduce((sum, pid) => sum + usageOf(pid).memoryMiB, 0);
    const more = { 'p99.9': [p999, 'ms'], lost: [lost, '%'], memory: [memory, 'MiB'] } as const;
    return { ...result, more };
  };
  return await heldRate({
    what: 'mix of a site',
    subject: contender.name,
    rates: RATES,
    heldMs: HELD_MS,
    send,
  });
}

/**
 * `pnpm bench deployed [PROGRAM …] [ARTICLES]`: what a reader waits for, through the proxy that everybody
 * uses (`deploy/proxy`: TLS, HTTP/2, compression, its cache): a mix of requests at rising rates, of Pressroom
 * on its shipped settings and of the programs that a site would install instead, behind the same proxy
 * (`docs/peers.md`).
 */
export const deployed: Bench = {
  parts: ([articles = 10_000]) =>
    Object.entries(PROGRAMS).map(([name, start]) => ({
      name,
      seconds: 100,
      run: async () => {
        await using program = await start(articles);
        return program === undefined ? [] : await measure(program, articles);
      },
    })),
  sections: { deployed: sectionOf('deployed', ({ figures }) => deployedTables(figures)) },
};
