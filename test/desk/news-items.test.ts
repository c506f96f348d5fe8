import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skipWithout } from '../support/browser.ts';
import { rss } from '../support/feed-host.ts';
import { galleryPageFixture } from '../support/gallery-page.ts';
import { EDITOR, type NewsDesk, openNewsDesk } from '../support/news-desk.ts';
import { importLines, itemLine } from '../support/newsroom.ts';

const CREDITS = {
  authors: ['Ada <b>L.</b>', 'Bo'],
  tags: ['Harbours'],
  enclosures: [{ url: 'https://pod.example/1.mp3', type: 'audio/mpeg', length: 3_200_000, duration: 180 }],
};

let desk: NewsDesk;
let opened: NewsDesk | undefined;

/** More than one page of a list, each a minute older than the one before it. */
const MANY = 130;

beforeAll(async () => {
  opened = await openNewsDesk();
  if (opened === undefined) return;
  desk = opened;
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: desk.database.pool }) });
  const lines = Array.from({ length: MANY }, (_, index) =>
    itemLine(`n-${index}`, {
      title: `Report ${index} of the ${index === 9 ? 'lighthouse' : 'harbour'}`,
      summary: `What is known of report ${index}.`,
      source: { name: index % 2 === 0 ? 'Harbour Times' : 'Town Gazette' },
      publishedAt: new Date(Date.now() - index * 1000).toISOString(),
      category: index % 3 === 0 ? 'product' : 'research',
      score: 50,
      language: index === 7 ? 'zh' : 'en',
      ...(index === 3 && CREDITS),
    }),
  );
  await importLines(db, lines);
});
skipWithout(() => opened?.browser);
afterAll(async () => {
  expect(await opened?.close()).toEqual(opened && []);
});

const row = (title: string): Locator => desk.page.getByRole('row', { name: title });
const details = () => desk.page.getByRole('complementary', { name: 'Details' });
const stored = async (id: string) => {
  const sql = 'select title, selected, withdrawn_at is not null as withdrawn from news.item where id = $1';
  return (await desk.database.pool.query(sql, [id])).rows[0];
};

test('the keys go through the items of today, select, deselect and withdraw them, and take each step back', async () => {
  const { page } = desk;
  await desk.go();
  await row('Report 0 of').waitFor();
  for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
  await details().getByRole('heading', { name: 'Report 1 of the harbour' }).waitFor();
  await page.keyboard.press('s');
  await page.getByText('Picked “Report 1 of the harbour”').first().waitFor();
  expect(await stored('n-1')).toMatchObject({ selected: true });
  await page.keyboard.press('w');
  await row('Report 1 of').getByText('Withdrawn').waitFor();
  expect(await stored('n-1')).toMatchObject({ withdrawn: true });
  await page.keyboard.press('u');
  await row('Report 1 of').getByText('Picked', { exact: true }).waitFor();
  expect(await stored('n-1')).toMatchObject({ selected: true, withdrawn: false });
  await page.route('**/undo', (route) => route.abort());
  await page.keyboard.press('u');
  await page
    .getByText(/^Not done: /)
    .first()
    .waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.keyboard.press('u');
  await row('Report 1 of').getByText('Picked', { exact: true }).waitFor({ state: 'detached' });
  expect(await stored('n-1')).toMatchObject({ selected: false, withdrawn: false });
});

test('several items are chosen by keys and pointer, picked at once, listed by score, and taken back at once', async () => {
  const { page } = desk;
  await desk.go();
  await row('Report 10 of').click();
  await page.keyboard.press('Space');
  await row('Report 12 of').click({ modifiers: ['Shift'] });
  await page.getByText('3 chosen').waitFor();
  await page.getByRole('button', { name: 'Pick', exact: true }).first().click();
  await page.getByText('Picked: 3 items').first().waitFor();
  expect([await stored('n-10'), await stored('n-12'), await stored('n-13')]).toMatchObject([
    { selected: true },
    { selected: true },
    { selected: false },
  ]);
  await page.keyboard.press('u');
  await page.getByText('Undone: Picked: 3 items').first().waitFor();
  expect(await stored('n-11')).toMatchObject({ selected: false });
  await desk.elsewhere('PATCH', '/items/n-20', { score: 77 });
  await page.getByLabel('Order').selectOption('score');
  await page.locator('[aria-rowindex="1"]').getByText('Report 20 of').waitFor();
});

test('an item is edited; its history says who changed what, and takes it back', async () => {
  const { page } = desk;
  await desk.go();
  await row('Report 3 of').click();
  await details().getByRole('heading', { name: 'Report 3 of' }).waitFor();
  await details().getByText('Ada <b>L.</b>, Bo').waitFor();
  await details().getByText('Harbours', { exact: true }).waitFor();
  const recording = details().getByRole('link', { name: /^audio\/mpeg · 3 mins? · 3\.2 MB$/ });
  expect(await recording.getAttribute('href')).toBe('https://pod.example/1.mp3');
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Edit the item' });
  await dialog.getByLabel('Score').fill('101');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Write a number from 0 to 100.').waitFor();
  await dialog.getByLabel('Score').fill('90');
  await dialog.getByLabel('Title').fill('<b>The harbour</b> is open');
  await dialog.getByLabel('Category').selectOption('research');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  // Markup in a feed is shown as text.
  await details().getByRole('heading', { name: '<b>The harbour</b> is open' }).waitFor();
  await details().getByText(EDITOR).first().waitFor();
  await details()
    .getByText(/· Changed$/)
    .waitFor();
  await details().getByRole('insertion').getByText('Research', { exact: true }).waitFor();
  await details().getByText('Pressroom has not judged it').waitFor();
  await details()
    .getByRole('button', { name: /^Undo edit/ })
    .first()
    .click();
  await row('Report 3 of the harbour').waitFor();
  expect(await stored('n-3')).toMatchObject({ title: 'Report 3 of the harbour' });
});

test('what somebody else has saved in between is shown beside what one has, and is not lost', async () => {
  const { page } = desk;
  await desk.go();
  await row('Report 5 of').click();
  await details().getByRole('heading', { name: 'Report 5 of' }).waitFor();
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Edit the item' });
  await dialog.getByLabel('Title').fill('Mine');
  await desk.elsewhere('PATCH', '/items/n-5', { title: 'Theirs' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('cell', { name: 'Theirs' }).waitFor();
  await dialog.getByRole('cell', { name: 'Mine' }).waitFor();
  expect(await stored('n-5')).toMatchObject({ title: 'Theirs' });
  await dialog.getByRole('button', { name: 'Save mine' }).click();
  await row('Mine').waitFor();
  expect(await stored('n-5')).toMatchObject({ title: 'Mine' });
});

test('the list is searched, narrowed and read to its end', async () => {
  const { page } = desk;
  await desk.go();
  await row('Report 0 of').click();
  await page.getByText('50 items so far').waitFor();
  for (const loaded of ['100 items so far', `${MANY} items`]) {
    await page.keyboard.press('End');
    await page.getByText(loaded, { exact: true }).waitFor();
  }
  await page.getByLabel('Source').selectOption('Town Gazette');
  await page
    .getByText(`${MANY / 2} items`, { exact: true })
    .or(page.getByText('50 items so far'))
    .waitFor();
  await page.getByLabel('Category').selectOption('product');
  await page.getByText(/^2\d items$/).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('lighthouse');
  await page.getByText('1 item', { exact: true }).waitFor();
  await row('Report 9 of').waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('lighthouse');
  await page.getByLabel('Search the items').fill('');
  await page.getByLabel('Category').selectOption('');
  await page.getByLabel('Source').selectOption('');
  await page.getByLabel('Language of the text').selectOption('zh');
  await page.getByText('1 item', { exact: true }).waitFor();
  await row('Report 7 of').waitFor();
});

test('a source is tried before it is added, and its items come with the reasons for their scores', async () => {
  const { host, page } = desk;
  host.set('/feed', { body: rss([{ guid: 'a', title: 'A tunnel is built' }], { title: 'The feed' }) });
  await desk.go('sources');
  await page.getByText('No sources yet').waitFor();
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(host.at('/missing'));
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByText('Nothing is at its address any more.').waitFor();
  await dialog.getByLabel('Address').fill('http://10.0.0.5/feed');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByText('It leads into a private network').waitFor();
  await dialog.getByLabel('Address').fill(host.at('/feed'));
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByText('1 entry found').waitFor();
  await dialog.getByText('A tunnel is built').waitFor();
  await dialog.getByLabel('What is picked').selectOption('all');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page
    .getByRole('link', { name: 'The feed' })
    .or(page.getByRole('link', { name: '127.0.0.1' }))
    .waitFor();
  await expect
    .poll(
      async () =>
        (await desk.database.pool.query("select 1 from news.item where title = 'A tunnel is built'"))
          .rowCount,
    )
    .toBe(1);
  await page.keyboard.press('1');
  await row('A tunnel is built').click();
  await details()
    .getByRole('row', { name: /Trust in the source .*Weight 1/ })
    .waitFor();
  await details().getByText('to be picked').waitFor();
});

test('who may only read sees the items, and nothing that changes them', async () => {
  const { browser, gallery } = desk;
  const person = { name: 'Rea Der', email: 'rea@example.org', role: 'reader' };
  const { invitation } = (await gallery.post('/api/people', person)).body.data;
  const { context, page } = await gallery.visit(browser, { viewport: { width: 1280, height: 800 } });
  const data = { token: invitation.token, password: 'nobody types this twice' };
  const accepted = await context.request.post(`${gallery.url}/api/invitation/accept`, { data });
  expect(accepted.status()).toBe(200);
  await desk.go('', page);
  const all = 'select id, selected, withdrawn_at from news.item order by id';
  const before = (await desk.database.pool.query(all)).rows;
  const shown = page.getByRole('complementary', { name: 'Details' });
  await page
    .getByRole('row', { name: /Report/ })
    .first()
    .click();
  await shown.getByRole('heading', { name: /Report/ }).waitFor();
  for (const key of ['s', 'w', 'e']) await page.keyboard.press(key);
  expect(await shown.getByRole('button').count()).toBe(0);
  await desk.go('sources', page);
  await page.getByRole('searchbox').waitFor();
  expect(await page.getByRole('button', { name: 'Add a source…' }).count()).toBe(0);
  await page.keyboard.press('a');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect((await desk.database.pool.query(all)).rows).toEqual(before);
  await context.close();
});

test('a newsroom that is away or not there is said in its place, and the other sections go on', async () => {
  const { browser } = desk;
  const bare = await galleryPageFixture();
  const { context, page, open } = await bare.visit(browser);
  await open();
  await page.goto(`${bare.url}/desk/news`);
  await page.getByText('There is no newsroom here.').waitFor();
  await page.getByRole('link', { name: 'Media' }).click();
  await page.getByRole('button', { name: 'New folder' }).waitFor();
  await context.close();
  await bare.close();
  await desk.stopNewsroom();
  await desk.go();
  await desk.page.getByText('The newsroom does not answer').waitFor();
  await desk.page.getByRole('button', { name: 'Try again' }).waitFor();
});
