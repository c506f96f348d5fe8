import { fileURLToPath } from 'node:url';
import { readVocabulary } from '@pressroom/news-feed/config';
import { addSample } from '@pressroom/news-feed/editing/sample';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, test } from 'vitest';
import { skipWithout } from '../support/browser.ts';
import { type NewsDesk, openNewsDesk } from '../support/news-desk.ts';

const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url));

/** The last noon in the zone of the reports: at night, nothing would have come today. */
const NOON = new Date(Math.floor((Date.now() - 4 * 3_600_000) / 86_400_000) * 86_400_000 + 4 * 3_600_000);

const WINDOWS = [
  ['wide', 'light', { width: 1280, height: 800 }],
  ['narrow', 'dark', { width: 360, height: 740 }],
] as const;

let desk: NewsDesk | undefined;

beforeAll(async () => {
  desk = await openNewsDesk(() => NOON);
  if (desk === undefined) return;
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: desk.database.pool }) });
  await addSample(db, readVocabulary({}), NOON);
});
skipWithout(() => desk?.browser);
afterAll(() => desk?.close());

test.each(WINDOWS)('the news, %s and %s', async (size, colorScheme, viewport) => {
  if (desk === undefined) return;
  const { context, page } = await desk.open({ viewport, colorScheme });
  await page.clock.setFixedTime(NOON);
  await page.getByRole('row').nth(2).waitFor();
  await page.keyboard.press('j');
  if (size === 'wide')
    await page.getByRole('complementary', { name: 'Details' }).getByRole('heading').first().waitFor();
  await page.screenshot({ path: `${PICTURES}/desk-news-${size}-${colorScheme}.png` });
  await desk.go('report', page);
  await page.getByRole('heading', { level: 3 }).first().waitFor();
  await page.screenshot({ path: `${PICTURES}/desk-report-${size}-${colorScheme}.png` });
  await context.close();
});
