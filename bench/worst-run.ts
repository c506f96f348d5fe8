/**
 * `pnpm bench worst [PART …]`: the worst moments of a day, each with the times that readers wait,
 * counted from when a request was due: `held`, `changes`, `start`, `away`, `writes`, `replicas`, `gallery`.
 */
import { startContent } from './content-service.ts';
import type { Figure } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { type Part, runParts } from './figures/parts.ts';
import { startNewsFeed } from './news-service.ts';
import { printFigures } from './report.ts';
import { whileChanging } from './worst/changes.ts';
import { galleryAtWorst } from './worst/gallery.ts';
import { heldRate } from './worst/held-rate.ts';
import { memoryUnderLoad } from './worst/memory.ts';
import { coldStart, databaseAway, largeWrites, replicas } from './worst/outages.ts';
import { pollsOf, type Site, startSite } from './worst/site.ts';

/** Rising rates of cached answers, a second. */
const RATES = [1000, 2000, 4000, 6000, 8000, 10_000, 12_000, 15_000, 20_000, 25_000, 30_000];

async function held(site: Site): Promise<Figure[]> {
  const content = await startContent(site.url);
  const [mix, plain] = [
    await pollsOf(content.port, site.articlePaths),
    site.articlePaths.map((path) => ({ path })),
  ];
  const common = { subject: 'content', port: content.port, rates: RATES };
  const figures = [
    ...(await heldRate({ ...common, what: 'whole answers', requests: plain })),
    ...(await heldRate({ ...common, what: 'polls, 95 % conditional', requests: mix })),
    memoryUnderLoad('content', content),
  ];
  await content.stop();
  const news = await startNewsFeed(site.url);
  const paths = Array.from({ length: 40 }, (_, index) => site.newsPaths[index % site.newsPaths.length] ?? '');
  const polls = await pollsOf(news.port, paths);
  const what = 'polls, 95 % conditional';
  const rising = { what, subject: 'news-feed', port: news.port, rates: RATES, requests: polls };
  figures.push(...(await heldRate(rising)), memoryUnderLoad('news-feed', news));
  await news.stop();
  return figures;
}

/** What is measured on a site, and about how many seconds it takes. */
const SITE_PARTS: Record<string, [seconds: number, run: (site: Site) => Promise<Figure[]>]> = {
  held: [100, held],
  changes: [50, whileChanging],
  start: [15, coldStart],
  away: [35, databaseAway],
  writes: [30, largeWrites],
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
printFigures(figures);
keepFigures('worst', figures);
