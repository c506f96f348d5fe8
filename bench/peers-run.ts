/**
 * `pnpm bench peers [ARTICLES …]`: measures Pressroom next to what people would install instead, each as its
 * documentation sets it up for production, on the same PostgreSQL with the same data, in turns
 * (`docs/peers.md`).
 */
import { ContentContest } from './contenders/measure-content.ts';
import { installPeers } from './contenders/peer.ts';
import type { Figure } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { type Part, runParts } from './figures/parts.ts';

/** The numbers of articles that are measured unless the command line names others. */
const SIZES = [10_000];

installPeers();
const named = process.argv.slice(2).map(Number);
const contests = (named.length > 0 ? named : SIZES).map((articles) => new ContentContest(articles));
const parts: Part<Figure[]>[] = contests.flatMap((contest) => contest.parts());
const figures: Figure[] = [];
try {
  figures.push(...(await runParts('peers', parts)).flat());
} finally {
  await Promise.all(contests.map((contest) => contest.stop()));
}
console.table(
  figures
    .filter(({ metric }) => metric === 'rate' || metric === 'p99')
    .map(({ what, subject, metric, unit, median, at }) => ({
      what,
      subject,
      ...at,
      [metric]: `${median} ${unit}`,
    })),
);
keepFigures('peers', figures);
