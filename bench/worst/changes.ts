import { type Asked, rateRatios, sliceFigures, slicesOf } from '../compare.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { load } from '../load.ts';
import { startService } from '../services.ts';
import type { Site } from './site.ts';

const CHANGE_MS = 100;

/** Time that all answers are asked for before each round, in ms. */
const WARM_UP_MS = 1000;

const CLIENTS = 500;

/**
 * Measures the rest of the cached rate while an article or item changes every 100 ms and 500 clients ask: as
 * it is, and with every change dropping everything, as an empty notification does.
 */
export async function whileChanging({ pool, url, articlePaths, newsPaths }: Site): Promise<Figure[]> {
  const article = `update content.article set excerpt = 'Changed at ' || clock_timestamp()
    where id = (select id from content.article where is_published order by published_at desc offset $1 limit 1)`;
  const item = `update news.item set title = 'Changed at ' || clock_timestamp()
    where id = (select id from news.item where in_selected_set order by timeline_at desc limit 1)`;
  const changed = () => pool.query(article, [Math.floor(Math.random() * 500)]);
  const ofContent = await rates('content', url, articlePaths, {
    'nothing changes': () => undefined,
    'an article changes every 100 ms': changed,
    'the same, if each change dropped everything': async () => {
      await changed();
      await pool.query(`select pg_notify('content_changed', '')`);
    },
  });
  const ofNews = await rates('news-feed', url, newsPaths, {
    'nothing changes': () => undefined,
    'an item changes every 100 ms': () => pool.query(item),
  });
  return [...ofContent, ...ofNews];
}

/** The rates while each of some changes is made, as ratios to those of the first one, which is none. */
async function rates(
  subject: 'content' | 'news-feed',
  url: string,
  paths: readonly string[],
  changes: Readonly<Record<string, () => unknown>>,
): Promise<Figure[]> {
  await using service = await startService(subject, { DATABASE_URL: url });
  const requests = paths.map((path) => ({ path }));
  const asked = { port: service.port, requests, connections: CLIENTS };
  const asking = Object.values(changes).map(
    (change): Asked => ({
      subject,
      process: service,
      ask: async (durationMs) => {
        // All answers are asked for before each round, so that none begins with an empty cache.
        await load({ ...asked, durationMs: WARM_UP_MS });
        const timer = setInterval(change, CHANGE_MS);
        return load({ ...asked, durationMs }).finally(() => clearInterval(timer));
      },
    }),
  );
  const slices = await slicesOf(asking, { rounds: 6, roundMs: 1500, warmUpMs: 0 });
  const figure = figuresOf(subject, { connections: CLIENTS });
  return Object.keys(changes).flatMap((what, index) => {
    const own = slices[index] ?? [];
    const failures = own.map(({ failed, requests: count }) => failed / Math.max(1, count));
    return [
      ...sliceFigures(figure, what, own, ['rate']),
      figure(what, 'ratio', '', rateRatios(own, slices[0] ?? [])),
      figure(what, 'failed', '', failures),
    ];
  });
}
