import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { startProxy } from '../../test/support/proxy.ts';
import type { Bench } from '../bench.ts';
import type { ContentContender, Settings } from '../contenders/content.ts';
import { PROGRAMS, type ProgramName, startPrograms } from '../contenders/programs.ts';
import { siteMix } from '../deployed/mix.ts';
import { openLoad } from '../deployed/open-load.ts';
import type { Figure } from '../figures/figure.ts';
import { heldRate } from '../held-rate.ts';
import { deployedTables } from '../report/deployed.ts';
import { sectionOf } from '../report/section.ts';
import { familyMemoryOf } from '../usage.ts';

const RATES = [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800];

/** The 99th percentile up to which a rate counts as held, in ms. */
const HELD_MS = 1000;

/** Least time at each rate, in ms, and least number of requests: one of a thousand is the p99.9. */
const DURATION_MS = 6000;
const REQUESTS = 1000;

const DOMAIN = 'site.example';

/** The programs, each with what lets its answers be kept as long as Pressroom's: a minute. */
const SETTINGS: Readonly<Partial<Record<ProgramName, Settings | undefined>>> = {
  // As shipped, but for the one key that the writes of the mix share.
  Pressroom: { CONTENT_RATE_LIMIT: '60', TRUST_PROXY: '1' },
  // Without the purge, after which its answers say that no proxy may keep them.
  Directus: { CACHE_ENABLED: 'true', CACHE_TTL: '1m', CACHE_CONTROL_S_MAXAGE: '60' },
  Ghost: { caching__contentAPI__maxAge: '60' },
  WordPress: undefined,
};

/** Measures a program behind the proxy, until a rate is not held. */
async function measure(contender: Required<ContentContender>, articles: number): Promise<Figure[]> {
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
    const pids = [proxy.pid, contender.process.pid, contender.database];
    const memory = pids.reduce((sum, pid) => sum + familyMemoryOf(pid), 0);
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
 * (`bench/results/peers.md`).
 */
export const deployed: Bench = {
  parts: ([articles = 10_000]) =>
    PROGRAMS.filter((name) => name in SETTINGS).map((name) => ({
      name,
      seconds: 100,
      run: async () => {
        await using started = await startPrograms(articles, [name], SETTINGS[name]);
        // The one with its cache, where it has one.
        const [contender] = started.contenders;
        return contender === undefined ? [] : await measure(contender, articles);
      },
    })),
  sections: { deployed: sectionOf('deployed', deployedTables) },
};
