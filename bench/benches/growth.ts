import type { Bench } from '../bench.ts';
import { startBenchPostgres } from '../database.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { ARTICLES } from '../growth/articles.ts';
import { type Kind, startGrowing } from '../growth/growing.ts';
import { NEWS_ITEMS } from '../growth/items.ts';
import { timesOf } from '../growth/question.ts';
import { growthPictures, growthSection, SMALLEST } from '../report/growth.ts';
import { timed } from '../turns.ts';

/** The numbers of rows that are measured unless the command line names others. */
const SIZES = [100_000, 1_000_000];

const KINDS = { articles: ARTICLES, items: NEWS_ITEMS };

async function measure(what: string, kind: Kind, sizes: readonly number[]): Promise<Figure[]> {
  await using server = await startBenchPostgres({ shared_buffers: '1GB', maintenance_work_mem: '512MB' });
  await using smallest = await startGrowing(kind, server, 'smallest');
  await using measured = await startGrowing(kind, server, 'measured');
  await smallest.growTo(SMALLEST);
  const figures: Figure[] = [];
  for (const rows of sizes) {
    const ms = await timed(() => measured.growTo(rows));
    console.log(`${rows.toLocaleString('en')} ${what}, filled in ${(ms / 1000).toFixed(0)} s`);
    const figure = figuresOf(kind.service, { rows });
    figures.push(...(await timesOf(figure, await measured.questions(), await smallest.questions())));
  }
  return figures;
}

const MILLIONS = { articles: 'growth articles 10000000', items: 'growth items 10000000' };

/**
 * `pnpm bench growth [articles|items] [SIZE …]`: what is asked of many articles and items against what is
 * asked of 10,000. 10,000,000 articles take about half an hour and 12 GB of disk.
 */
export const growth: Bench = {
  parts: (named) => {
    const sizes = named.length > 0 ? named : SIZES;
    return Object.entries(KINDS).map(([what, kind]) => ({
      name: what,
      seconds: 60 + Math.max(...sizes) / 6000,
      run: () => measure(what, kind, sizes),
    }));
  },
  sections: {
    growth: growthSection('growth'),
    'growth, 10,000,000 articles': growthSection(MILLIONS.articles),
    'growth, 10,000,000 items': growthSection(MILLIONS.items),
    'growth, pictures': growthPictures(['growth', MILLIONS.articles, MILLIONS.items]),
  },
};
