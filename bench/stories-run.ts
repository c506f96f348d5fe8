/**
 * `pnpm bench stories`: how well the newsroom finds the story of an item, over a labelled set of which one
 * half was never tuned on; `bench newsroom` has how long it takes. `STORIES_WRONG=tuning` lists that half's
 * wrong pairs.
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

const HALVES = ['tuning', 'unread'] as const;
const ORDERS = ['by time', 'batch'] as const;

const HALVES_SHOWN = { tuning: 'which the score was tuned on', unread: 'which it was not tuned on' } as const;
const ORDERS_SHOWN = { 'by time': 'as they are published', batch: 'all at once' } as const;

async function benchStories(): Promise<StoryQuality[]> {
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
    return quality;
  } finally {
    await pool.end();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const quality = await benchStories();
for (const { half, order, wrong } of quality) {
  if (half === process.env.STORIES_WRONG) console.log([`${half}, ${order}`, ...wrong].join('\n  '));
}
const figures = quality.flatMap(qualityFigures);
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
