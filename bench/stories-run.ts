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
import { writeFigures } from './report.ts';
import { measureQuality, type StoryQuality } from './stories/quality.ts';
import { measureSpeed } from './stories/speed.ts';

const HALVES = ['tuning', 'unread'] as const;
const ORDERS = ['by time', 'batch'] as const;

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
const figures = quality.map(({ wrong: _, ...rest }) => rest);
console.table(
  figures.map(({ precision, recall, ...rest }) => ({
    ...rest,
    precision: precision.toFixed(3),
    recall: recall.toFixed(3),
  })),
);
if (speed !== undefined) console.table([speed]);
writeFigures('stories', { quality: figures, speed });
