/**
 * `pnpm bench growth [articles|items] [SIZE …]`: measures what is asked of many articles and items
 * against what is asked of 10,000, by default of 100,000 and 1,000,000. 10,000,000 articles take
 * about half an hour and 12 GB of disk.
 */
import { rm } from 'node:fs/promises';
import { startPostgres } from '@pressroom/embedded-postgres/postgres';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { type Figure, figureOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { runParts } from './figures/parts.ts';
import { GrowingArticles } from './growth/articles.ts';
import { type GrowthTime, type Question, timeInTurns } from './growth/in-turns.ts';
import { GrowingItems } from './growth/items.ts';
import type { Kept } from './growth/kept.ts';

/** The number of rows that all others are compared with. */
const SMALLEST = 10_000;

/** The numbers of rows that are measured unless the command line names others. */
const SIZES = [100_000, 1_000_000];

/** A database that grows, with the service on it. */
interface Growing {
  growTo: (rows: number) => Promise<void>;
  questions: () => Promise<Question[]>;
  kept: () => Promise<Kept>;
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
  const dataDir = await temporaryHome();
  const settings = { max_wal_size: '4GB', shared_buffers: '1GB', maintenance_work_mem: '512MB' };
  const server = await startPostgres({ dataDir, port: 0, settings });
  try {
    const smallest = await start(server.url, 'smallest');
    await smallest.growTo(SMALLEST);
    const measured = await start(server.url, 'measured');
    const figures: Figure[] = [];
    for (const rows of sizes) {
      const begin = performance.now();
      await measured.growTo(rows);
      console.log(
        `${rows.toLocaleString('en')} ${kind}, filled in ${((performance.now() - begin) / 1000).toFixed(0)} s`,
      );
      const times = await timeInTurns(await measured.questions(), await smallest.questions());
      const own = [
        ...times.flatMap((time) => timeFigures(time, service, rows)),
        ...keptFigures(await measured.kept(), kind, service),
      ];
      print(own);
      figures.push(...own);
    }
    await measured.stop();
    // At the end, since it updates a tenth of the rows.
    figures.push(...keptFigures(await smallest.kept(), kind, service));
    await smallest.stop();
    return figures;
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function timeFigures({ what, aim, rounds }: GrowthTime, subject: string, rows: number): Figure[] {
  const label = { what, subject, metric: 'p50', unit: 'ms' };
  return [
    figureOf(
      { ...label, at: { rows: SMALLEST, beside: rows } },
      rounds.map(({ smallest }) => smallest),
    ),
    figureOf(
      { ...label, at: { rows } },
      rounds.map(({ measured }) => measured),
    ),
    figureOf(
      { ...label, metric: 'multiple', unit: '', at: { rows }, aim },
      rounds.map(({ measured, smallest }) => measured / smallest),
    ),
  ];
}

function keptFigures(kept: Kept, what: string, subject: string): Figure[] {
  const of = (metric: string, unit: string, value: number) =>
    figureOf({ what, subject, metric, unit, at: { rows: kept.rows } }, [value]);
  return [
    of('table, a row', 'bytes', kept.tableBytesPerRow),
    of('indices, a row', 'bytes', kept.indexBytesPerRow),
    of('vacuum after 10 % of updates', 'ms', kept.vacuumMs),
    of('vacuum, 1,000 rows', 'ms', kept.vacuumMsPer1000),
  ];
}

function print(figures: readonly Figure[]): void {
  console.table(
    figures
      .filter(({ at }) => at.beside === undefined)
      .map(({ what, metric, unit, median, quartiles, aim }) => ({
        what,
        metric,
        median: `${median} ${unit}`,
        quartiles: quartiles.join('–'),
        aim,
      })),
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
// Figures of other sizes do not replace the those of the default sizes.
keepFigures(['growth', ...chosen].join(' '), (await runParts('growth', parts)).flat());
