/**
 * `pnpm bench stories [ITEMS]`: how well the newsroom finds the story of an item, over a labelled set of
 * which one half was never tuned on, and how long it takes among `ITEMS` stored items (default 100,000).
 * `STORIES_WRONG=tuning` lists that half's wrong pairs.
 */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openPool, queriesOn } from '@pressroom/common/database/database';
import { migrate } from '@pressroom/common/database/migrate';
import { startPostgres } from '@pressroom/embedded-postgres/postgres';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { type Figure, figureOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { printFigures } from './report.ts';
import { measureQuality, type StoryQuality } from './stories/quality.ts';
import { measureSpeed, type StorySpeed } from './stories/speed.ts';

const HALVES = ['tuning', 'unread'] as const;
const ORDERS = ['by time', 'batch'] as const;

const HALVES_SHOWN = { tuning: 'which the score was tuned on', unread: 'which it was not tuned on' } as const;
const ORDERS_SHOWN = { 'by time': 'as they are published', batch: 'all at once' } as const;

async function benchStories(items: number) {
  const dataDir = await temporaryHome();
  const server = await startPostgres({ dataDir, port: 0, settings: { max_wal_size: '4GB' } });
  const pool = openPool({ DATABASE_URL: server.url, DATABASE_POOL_SIZE: 4 }, 'pressroom bench');
  const db = queriesOn<NewsTables>(pool);
  try {
    await migrate(server.url, fileURLToPath(new URL('../migrations', import.meta.url)));
    const quality: StoryQuality[] = [];
    for (const half of HALVES) {
      for (const order of ORDERS) quality.push(await measureQuality(db, half, order));
    }
    const speed = items > 0 ? await measureSpeed(pool, db, items) : undefined;
    return { quality, speed };
  } finally {
    await pool.end();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const { quality, speed } = await benchStories(Number(process.argv[2] ?? 100_000));
for (const { half, order, wrong } of quality) {
  if (half === process.env.STORIES_WRONG) console.log([`${half}, ${order}`, ...wrong].join('\n  '));
}
const figures = [...quality.flatMap(qualityFigures), ...(speed === undefined ? [] : speedFigures(speed))];
printFigures(figures);
keepFigures('stories', figures);

function qualityFigures({ half, order, reports, precision, recall }: StoryQuality): Figure[] {
  const what = `${reports} reports, ${HALVES_SHOWN[half]}, ${ORDERS_SHOWN[order]}`;
  const label = { what, subject: 'newsroom', unit: '', at: {} };
  return [
    figureOf({ ...label, metric: 'precision' }, [precision]),
    figureOf({ ...label, metric: 'recall' }, [recall]),
  ];
}

function speedFigures({ items, p50, p99, indexMiB }: StorySpeed): Figure[] {
  const what = `the story of one item among ${items.toLocaleString('en')}`;
  const label = { what, subject: 'newsroom', at: { rows: items } };
  return [
    figureOf({ ...label, metric: 'p50', unit: 'ms' }, [p50]),
    figureOf({ ...label, metric: 'p99', unit: 'ms' }, [p99]),
    figureOf({ ...label, metric: 'indices', unit: 'MiB' }, [indexMiB]),
  ];
}
