import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skipWithout } from '../support/browser.ts';
import { type NewsDesk, openNewsDesk } from '../support/news-desk.ts';
import { importLines, itemLine } from '../support/newsroom.ts';

let desk: NewsDesk;
let opened: NewsDesk | undefined;
let add: (...names: string[]) => Promise<void>;

// The clock of the database decides what is early, so that of the newsroom is the real one, too.
beforeAll(async () => {
  opened = await openNewsDesk();
  if (opened === undefined) return;
  desk = opened;
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: desk.database.pool }) });
  add = (...names) => {
    const time = new Date().toISOString();
    const members = { publishedAt: time, discoveredAt: time, category: 'product', selected: true };
    const lines = names.map((name) => itemLine(name, { ...members, summary: `What is known of ${name}.` }));
    return importLines(db, lines);
  };
  await add('a');
});
skipWithout(() => opened?.browser);
afterAll(async () => {
  expect(await opened?.close()).toEqual(opened && []);
});

const published = async () => {
  const sql = 'select item_ids, window_end > now() as is_early from news.daily';
  return (await desk.database.pool.query(sql)).rows;
};

test('the next report is published early after a question, then corrected, and stays what it is', async () => {
  const { page } = desk;
  await desk.go('report');
  await page.getByRole('button', { name: 'Publish early' }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish this report now?' });
  await dialog.getByText(/^Readers get it at once, not on .+ \(.+\)\./).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await published()).toEqual([]);
  await page.getByRole('button', { name: 'Publish early' }).click();
  await dialog.getByRole('button', { name: 'Publish early' }).click();
  await page.getByText('Published: Daily', { exact: true }).first().waitFor();
  await page.getByText('A correction would look like this').waitFor();
  expect(await published()).toEqual([{ item_ids: ['a'], is_early: true }]);
  await page.getByRole('button', { name: 'The next one' }).click();
  await page.getByText('There is nothing to report yet').waitFor();
  await desk.elsewhere('POST', '/sources', { url: desk.host.at('/feed.xml'), name: 'The coast' });
  await page.goto(`${desk.gallery.url}/desk/home`);
  const next = page.getByRole('region', { name: 'Scheduled next' }).getByRole('time');
  expect(Date.parse(String(await next.getAttribute('datetime')))).toBeGreaterThan(
    Date.now() + 24 * 3_600_000,
  );
  await add('b');
  await desk.go('report?of=latest');
  await page.getByText('What is known of b.').first().waitFor();
  await page.getByRole('button', { name: 'Publish the correction' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish the correction' }).click();
  await page.getByText('Corrected: Daily', { exact: true }).first().waitFor();
  const [corrected] = await published();
  expect(corrected.item_ids.toSorted()).toEqual(['a', 'b']);
  await page.keyboard.press('u');
  await page.getByText('Undone: Corrected: Daily', { exact: true }).first().waitFor();
  expect(await published()).toEqual([{ item_ids: ['a'], is_early: true }]);
});
