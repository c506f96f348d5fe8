/**
 * `pnpm bench worst [PART …]`: the worst moments of a day, each with the latencies of readers, measured from
 * each request's scheduled start: `held`, `changes`, `start`, `away`, `writes`, `searches`, `replicas`,
 * `gallery`.
 */
import { startContent } from './content-service.ts';
import type { Figure } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { type Part, runParts } from './figures/parts.ts';
import { startNewsFeed } from './news-service.ts';
import { whileChanging } from './worst/changes.ts';
import { galleryAtWorst } from './worst/gallery.ts';
import { heldRate, type Target } from './worst/held-rate.ts';
import { memoryUnderLoad } from './worst/memory.ts';
import { coldStart, databaseAway, largeWrites, replicas, searches } from './worst/outages.ts';
import { pollsOf, type Site, startSite } from './worst/site.ts';

/** Rising rates of cached answers, a second. */
const RATES = [1000, 2000, 4000, 6000, 8000, 10_000, 12_000, 15_000, 20_000, 25_000, 30_000];

async function held(site: Site): Promise<Figure[]> {
  const content = await startContent(site.url);
  const news = await startNewsFeed(site.url);
  const plain = site.articlePaths.map((path) => ({ path }));
  const ofContent = { port: content.port, requests: await pollsOf(content.port, site.articlePaths) };
  // Of 80 requests four get whole answers: one of each path.
  const paths = Array.from({ length: 80 }, (_, index) => {
    return site.newsPaths[(index + Math.floor(index / 20)) % site.newsPaths.length] ?? '';
  });
  const ofNews = { port: news.port, requests: await pollsOf(news.port, paths) };
  const rising = (what: string, subject: string, ...targets: Target[]) =>
    heldRate({ what, subject, targets, rates: RATES });
  const polls = 'polls, 95 % conditional';
  const figures = [
    ...(await rising('whole answers', 'content', { port: content.port, requests: plain })),
    ...(await rising(polls, 'content', ofContent)),
    memoryUnderLoad('content', content),
    ...(await rising(polls, 'news-feed', ofNews)),
    memoryUnderLoad('news-feed', news),
    ...(await rising(polls, 'content and news-feed', ofContent, ofNews)),
  ];
  await content.stop();
  await news.stop();
  return figures;
}

/** What is measured on a site, and about how many seconds it takes. */
const SITE_PARTS: Record<string, [seconds: number, run: (site: Site) => Promise<Figure[]>]> = {
  held: [130, held],
  changes: [90, whileChanging],
  start: [15, coldStart],
  away: [35, databaseAway],
  writes: [30, largeWrites],
  searches: [30, searches],
  replicas: [30, replicas],
};

const chosen = process.argv.slice(2);
let site: Promise<Site> | undefined;
const parts: Part<Figure[]>[] = [
  ...Object.entries(SITE_PARTS).map(([name, [seconds, run]]) => ({
    name,
    seconds,
    run: async () => {
      site ??= startSite();
      return run(await site);
    },
  })),
  { name: 'gallery', seconds: 60, run: galleryAtWorst },
].filter(({ name }) => chosen.length === 0 || chosen.includes(name));
const figures = (await runParts('worst', parts)).flat();
await (await site)?.stop();
keepFigures('worst', figures);
