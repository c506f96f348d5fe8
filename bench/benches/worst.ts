import type { Bench } from '../bench.ts';
import type { Figure } from '../figures/figure.ts';
import { membersOf, select } from '../figures/read.ts';
import { HELD_MS, heldRate, sendTo, type Target } from '../held-rate.ts';
import { drawLines, type Point } from '../report/lines.ts';
import { measuredTables, shortfalls } from '../report/measured.ts';
import { type Picture, sectionOf } from '../report/section.ts';
import { startService } from '../services.ts';
import { largeWrites, searches } from '../worst/beside-work.ts';
import { whileChanging } from '../worst/changes.ts';
import { galleryAtWorst } from '../worst/gallery.ts';
import { memoryUnderLoad, pollsOf, type Site, startSite } from '../worst/site.ts';

/** Rising rates of cached answers, a second. */
const RATES = [1000, 2000, 4000, 6000, 8000, 10_000, 12_000, 15_000, 20_000, 25_000, 30_000];

async function held({ url, articlePaths, newsPaths }: Site): Promise<Figure[]> {
  await using content = await startService('content', { DATABASE_URL: url });
  await using news = await startService('news-feed', { DATABASE_URL: url });
  const whole = { port: content.port, requests: articlePaths.map((path) => ({ path })) };
  const ofContent = { port: content.port, requests: await pollsOf(content, articlePaths) };
  // Four of 80 requests get whole answers: one of each path.
  const paths = Array.from({ length: 80 }, (_, index) => {
    return newsPaths[(index + Math.floor(index / 20)) % newsPaths.length] ?? '';
  });
  const ofNews = { port: news.port, requests: await pollsOf(news, paths) };
  const rising = (what: string, subject: string, ...targets: Target[]) =>
    heldRate({ what, subject, rates: RATES, heldMs: HELD_MS, send: sendTo(...targets) });
  const polls = 'polls, 95 % conditional';
  return [
    ...(await rising('whole answers', 'content', whole)),
    ...(await rising(polls, 'content', ofContent)),
    memoryUnderLoad('content', content),
    ...(await rising(polls, 'news-feed', ofNews)),
    memoryUnderLoad('news-feed', news),
    ...(await rising(polls, 'content and news-feed', ofContent, ofNews)),
  ];
}

function ratesPicture(figures: readonly Figure[]): Picture {
  const points = select(figures, { metric: 'held rate' }).flatMap(({ what, subject }) =>
    select(figures, { what, subject, metric: 'p99' }).map(({ at, median }): Point => {
      return { series: `${what}, ${subject}`, x: Number(at.rate), y: median };
    }),
  );
  return {
    name: 'latency-over-rate',
    alt: 'The 99th percentile of the time to an answer at rising rates',
    draw: (theme) => drawLines({ x: 'requests a second →', y: '↑ p99 in ms', points, aim: HELD_MS }, theme),
  };
}

/**
 * `pnpm bench worst [PART …]`: the worst moments of a day, each with the latencies of readers, measured from
 * each request's scheduled start.
 */
export const worst: Bench<Site> = {
  start: async (_sizes, resources) => resources.use(await startSite()),
  parts: () => [
    { name: 'held', seconds: 130, run: held },
    { name: 'changes', seconds: 90, run: whileChanging },
    { name: 'writes', seconds: 30, run: largeWrites },
    { name: 'searches', seconds: 30, run: searches },
    { name: 'gallery', seconds: 60, run: galleryAtWorst },
  ],
  sections: {
    worst: sectionOf('worst', (figures) => {
      // The times at each of the rising rates are for a picture.
      const rising = membersOf(select(figures, { metric: 'held rate' }), 'what');
      const shown = figures.filter(({ what, metric }) => metric === 'held rate' || !rising.includes(what));
      return [measuredTables(shown, { subjects: true }), shortfalls(figures)];
    }),
    'worst, pictures': sectionOf('worst', (figures) => [ratesPicture(figures)]),
  },
};
