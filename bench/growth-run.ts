/**
 * `pnpm bench growth [articles|items] [SIZE …]`: measures what is asked of many articles and items
 * against what is asked of 10,000, by default of 100,000 and 1,000,000. 10,000,000 articles take
 * about half an hour and 12 GB of disk.
 */
import { onPostgres } from './database.ts';
import type { Figure } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { runParts } from './figures/parts.ts';
import { GrowingArticles } from './growth/articles.ts';
import { GrowingItems } from './growth/items.ts';
import { type Question, timesOf } from './growth/question.ts';
import { timed } from './turns.ts';

/** The number of rows that all others are compared with. */
const SMALLEST = 10_000;

/** The numbers of rows that are measured unless the command line names others. */
const SIZES = [100_000, 1_000_000];

/** A database that grows, with the service on it. */
interface Growing {
  growTo: (rows: number) => Promise<void>;
  questions: () => Promise<Question[]>;
  kept: () => Promise<Figure[]>;
  stop: () => Promise<void>;
}

/** What grows, and the service that is asked. */
const KINDS: Record<string, { service: string; start: (url: string, name: string) => Promise<Growing> }> = {
  articles: { service: 'content', start: GrowingArticles.start },
  items: { service: 'news-feed', start: GrowingItems.start },
};

async function measure(kind: string, sizes: readonly number[]): Promise<Figure[]> {
  const { service = '', start } = KINDS[kind] ?? {};
  if (start === undefined) throw new Error(`unknown kind ${kind}`);
  return onPostgres(
    async (server) => {
      const smallest = await start(server.url, 'smallest');
      await smallest.growTo(SMALLEST);
      const measured = await start(server.url, 'measured');
      const figures: Figure[] = [];
      for (const rows of sizes) {
        const ms = await timed(() => measured.growTo(rows));
        console.log(`${rows.toLocaleString('en')} ${kind}, filled in ${(ms / 1000).toFixed(0)} s`);
        const times = await timesOf({
          subject: service,
          measured: { rows, questions: await measured.questions() },
          smallest: { rows: SMALLEST, questions: await smallest.questions() },
        });
        figures.push(...times, ...(await measured.kept()));
      }
      await measured.stop();
      // At the end, since it updates a tenth of the rows.
      figures.push(...(await smallest.kept()));
      await smallest.stop();
      return figures;
    },
    { shared_buffers: '1GB', maintenance_work_mem: '512MB' },
  );
}

const chosen = process.argv.slice(2);
const named = Object.keys(KINDS).filter((kind) => chosen.includes(kind));
const kinds = named.length > 0 ? named : Object.keys(KINDS);
const wanted = chosen.map(Number).filter(Number.isInteger);
const sizes = wanted.length > 0 ? wanted : SIZES;
const parts = kinds.map((kind) => ({
  name: `${kind} ${sizes.join(' ')}`,
  seconds: 60 + Math.max(...sizes) / 6000,
  run: () => measure(kind, sizes),
}));
// Figures of other sizes do not replace those of the default sizes.
keepFigures(['growth', ...chosen].join(' '), (await runParts('growth', parts)).flat());
