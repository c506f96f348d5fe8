/**
 * `pnpm bench peers [ARTICLES …]`: measures Pressroom next to what people would install instead, each as its
 * documentation sets it up for production, on the same PostgreSQL with the same data, in turns
 * (`docs/peers.md`).
 */
import { Contest } from './contenders/contest.ts';
import { CONTENT_QUESTIONS, startContentServers } from './contenders/measure-content.ts';
import { installPeers } from './contenders/peer.ts';
import type { Figure } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { runParts } from './figures/parts.ts';

/** The numbers of articles that are measured unless the command line names others. */
const SIZES = [10_000];

installPeers();
const named = process.argv.slice(2).map(Number);
const figures: Figure[] = [];
for (const articles of named.length > 0 ? named : SIZES) {
  // One after the other: nine servers at once would not leave each other a core.
  const contest = new Contest(() => startContentServers(articles));
  const parts = contest.parts(CONTENT_QUESTIONS, { rows: articles });
  figures.push(...(await runParts('peers', parts).finally(() => contest.stop())).flat());
}
// Figures of other sizes do not replace those of the default sizes.
keepFigures(['peers', ...named].join(' '), figures);
