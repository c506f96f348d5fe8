import { startContent } from '../content-service.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { load } from '../load.ts';
import { startNewsFeed } from '../news-service.ts';
import { inTurns } from '../turns.ts';
import type { Site } from './site.ts';

/** The pause between two changes, in ms. */
const CHANGE_MS = 100;

const CLIENTS = 500;
const ROUNDS = 6;
const ROUND_MS = 1500;

/** How long all answers are asked for before each round, so that none begins with an empty cache, in ms. */
const WARM_UP_MS = 1000;

/** What is changed while clients poll. */
interface Changes {
  what: string;
  change?: () => Promise<unknown>;
}

/**
 * How much of the cached rate is left while an article or item changes every 100 ms and 500 clients ask:
 * as it is, and with every change dropping everything, as an empty notification does.
 */
export async function whileChanging(site: Site): Promise<Figure[]> {
  const { pool, url } = site;
  const article = `update content.article set excerpt = 'Changed at ' || clock_timestamp()
    where id = (select id from content.article where is_published order by published_at desc offset $1 limit 1)`;
  const changed = () => pool.query(article, [Math.floor(Math.random() * 500)]);
  const content = await startContent(url);
  const ofContent = await rates('content', content.port, site.articlePaths, [
    { what: 'nothing changes' },
    { what: 'an article changes every 100 ms', change: changed },
    {
      what: 'the same, if each change dropped everything',
      change: async () => {
        await changed();
        await pool.query(`select pg_notify('content_changed', '')`);
      },
    },
  ]);
  await content.stop();
  const news = await startNewsFeed(url);
  const item = `update news.item set title = 'Changed at ' || clock_timestamp()
    where id = (select id from news.item where in_selected_set order by timeline_at desc limit 1)`;
  const ofNews = await rates('news-feed', news.port, site.newsPaths, [
    { what: 'nothing changes' },
    { what: 'an item changes every 100 ms', change: () => pool.query(item) },
  ]);
  await news.stop();
  return [...ofContent, ...ofNews];
}

async function rates(
  subject: string,
  port: number,
  paths: readonly string[],
  kinds: readonly Changes[],
): Promise<Figure[]> {
  const ask = (durationMs: number) => load({ port, paths, connections: CLIENTS, durationMs });
  const results = await inTurns(kinds, ROUNDS, async ({ change }) => {
    await ask(WARM_UP_MS);
    const timer = change && setInterval(() => void change(), CHANGE_MS);
    return ask(ROUND_MS).finally(() => clearInterval(timer));
  });
  const ratesOf = (index: number) => results[index]?.map(({ requestsPerSecond }) => requestsPerSecond) ?? [];
  const quiet = ratesOf(0);
  const figure = figuresOf(subject, { connections: CLIENTS });
  return kinds.flatMap(({ what }, index) => {
    const own = ratesOf(index);
    const failures = own.map((rate, round) => {
      const { failed } = results[index]?.[round] ?? { failed: 0 };
      return failed / Math.max(1, failed + (rate * ROUND_MS) / 1000);
    });
    return [
      figure(what, 'rate', '/s', own),
      figure(
        what,
        'ratio',
        '',
        own.map((rate, round) => rate / (quiet[round] ?? Number.NaN)),
      ),
      figure(what, 'failed', '', failures),
    ];
  });
}
