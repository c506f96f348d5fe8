import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skipWithout } from '../support/browser.ts';
import { type NewsDesk, openNewsDesk } from '../support/news-desk.ts';
import { importLines, itemLine } from '../support/newsroom.ts';
import { faultsOf, readAxe } from '../support/screen-faults.ts';

let desk: NewsDesk;
let opened: NewsDesk | undefined;

/** Today in Shanghai: the database has reports of no other day corrected. */
const TODAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Shanghai' }).format(Date.now());

/** When the report of the day is due, at eight in Shanghai. */
const DUE = Date.parse(`${TODAY}T00:00:00Z`);

/** So many hours after the report of the day. */
const hoursLater = (hours: number) => new Date(DUE + hours * 3_600_000);

/** Noon. */
const NOW = hoursLater(4);

/** A selected item of the next report. */
const quoted = (name: string, score: number, more: object = {}) =>
  itemLine(name, {
    title: `Report ${name}`,
    summary: `What is known of ${name}.`,
    publishedAt: hoursLater(2).toISOString(),
    discoveredAt: hoursLater(2).toISOString(),
    category: 'product',
    selected: true,
    score,
    ...more,
  });

/** An item in brief, of a report that is over. */
const flash = (title: string) => ({
  ...{ itemId: 'old', title, summary: null, source: 'Town Gazette' },
  ...{ originalUrl: 'https://gazette.example/old', publishedAt: hoursLater(-50).toISOString() },
});

/** When items of the report of the day were published. */
const EARLIER = { publishedAt: hoursLater(-4).toISOString(), discoveredAt: hoursLater(-4).toISOString() };

beforeAll(async () => {
  opened = await openNewsDesk(() => NOW);
  if (opened === undefined) return;
  desk = opened;
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: desk.database.pool }) });
  const lines = [
    { type: 'story', publicId: 'tunnel', title: 'The tunnel' },
    { type: 'story', publicId: 'harbour', title: 'The harbour' },
    quoted('a', 90, { story: 'tunnel', source: { name: 'Harbour Times' } }),
    quoted('b', 80, { story: 'tunnel', source: { name: 'Town Gazette' } }),
    quoted('c', 80, { story: 'harbour' }),
    quoted('d', 70),
    quoted('e', 60, EARLIER),
    quoted('f', 50, EARLIER),
  ];
  await importLines(db, lines, NOW);
});
skipWithout(() => opened?.browser);
afterAll(async () => {
  expect(await opened?.close()).toEqual(opened && []);
});

/** The items of the report, once each: the one that leads, then the others. */
const quotes = () => desk.page.locator('[data-id]');
const quote = (name: string) => quotes().filter({ hasText: `Report ${name}` });
const titles = async () =>
  (await quotes().allTextContents()).map((text) => /Report (\w)What/.exec(text)?.[1]).join('');

test('the next report is put in order, another item leads it, and each step is taken back', async () => {
  const { page } = desk;
  await desk.go('report');
  await quotes().first().waitFor();
  await page.getByText('(China Standard Time)').waitFor();
  expect(await titles()).toMatch(/^a(bc|cb)d$/);
  const [, first = '', last = ''] = await titles();
  await page.getByRole('button', { name: `Move up: Report ${last}` }).click();
  await page.getByText(`Moved “Report ${last}”`).first().waitFor();
  await expect.poll(titles).toBe(`a${last}${first}d`);
  // The focus is where it was moved to, and the keys go on from there.
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(titles).toBe(`a${first}${last}d`);
  await quote('d').dragTo(quote(first));
  await expect.poll(titles).toBe(`ad${first}${last}`);
  await quote('d').dragTo(quote('a'));
  await page.getByRole('heading', { level: 3, name: 'Report d' }).waitFor();
  await page.keyboard.press('u');
  await page.getByRole('heading', { level: 3, name: 'Report a' }).waitFor();
  await page.getByRole('button', { name: `Make it the lead: Report ${last}` }).click();
  await page.getByRole('heading', { level: 3, name: `Report ${last}` }).waitFor();
});

test('the report is published as it was shown, or not at all, then corrected, and the correction taken back', async () => {
  const { page } = desk;
  await desk.go('report');
  await page.getByRole('button', { name: 'The latest one' }).click();
  await expect.poll(titles).toBe('ef');
  const publish = async (name: string) => {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
  };
  const published = async () => {
    const { rows } = await desk.database.pool.query('select item_ids from news.daily');
    return rows.map(({ item_ids }) => item_ids.join(''));
  };
  await desk.elsewhere('POST', '/items/f/deselect');
  await publish('Publish now');
  await page.getByText('Somebody else has changed it in the meantime.').first().waitFor();
  expect(await published()).toEqual([]);
  await expect.poll(titles).toBe('e');
  await publish('Publish now');
  await page.getByText('A correction would look like this').waitFor();
  // The report comes first: few are corrected.
  expect(await page.getByLabel('Correction', { exact: true }).isVisible()).toBe(false);
  expect(await published()).toEqual(['e']);
  await desk.elsewhere('POST', '/items/f/select');
  await page.reload();
  await expect.poll(titles).toBe('ef');
  await publish('Publish the correction');
  await page.getByText('Corrected: Daily', { exact: true }).first().waitFor();
  expect(await published()).toEqual(['ef']);
  await page.keyboard.press('u');
  await page.getByText('Undone: Corrected: Daily', { exact: true }).first().waitFor();
  expect(await published()).toEqual(['e']);
  await page.getByText('Say what was wrong').click();
  await page.getByLabel('Correction', { exact: true }).fill('It was f.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Wrote the correction: Daily', { exact: true }).first().waitFor();
  const { rows } = await desk.database.pool.query(
    'select correction from news.daily where noted_at is not null',
  );
  expect(rows).toEqual([{ correction: 'It was f.' }]);
});

test('a report of any earlier day is found by its date, stays as it was, and says what was wrong', async () => {
  const { page } = desk;
  const [day] = hoursLater(-48).toISOString().split('T');
  await desk.database.pool.query(
    `insert into news.daily (date, generated_at, window_start, window_end, report, item_ids)
     values ($1, $2, $3, $2, $4, '{}')`,
    [day, hoursLater(-48), hoursLater(-72), { lead: null, sections: [], flashes: [flash('Of that day')] }],
  );
  await desk.go('report?of=latest');
  await page.getByRole('button', { name: 'The one before' }).click();
  await page.getByText('No report was published for this date').waitFor();
  await page.getByLabel('Date of the report').fill(String(day));
  await page.getByText('Of that day').waitFor();
  await page.getByText('Say what was wrong').click();
  await page.getByLabel('Correction', { exact: true }).fill('It was the day before.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Wrote the correction: Daily', { exact: true }).first().waitFor();
  expect(await page.getByRole('button', { name: /Publish|Move/ }).count()).toBe(0);
  const sql = 'select correction from news.daily where date = $1';
  expect((await desk.database.pool.query(sql, [day])).rows).toEqual([
    { correction: 'It was the day before.' },
  ]);
});

test('two stories are merged side by side and taken apart, one is split, and a digest is written', async () => {
  const { page } = desk;
  await desk.database.pool.query(`
    update news.story set digest = 'What is known.', digest_by = 'rules', digest_updated_at = now()
      where public_id = 'tunnel';
    insert into news.story_model_digest (story, asked_for, refused_why, refused_detail)
      select public_id, digest_updated_at, 'invented', '99' from news.story where public_id = 'tunnel';
    insert into news.report_terms (item_id, published_at, report, terms)
      select id, published_at, '{"terms": {"report": [4, 1]}, "marks": {}, "chinese": false}', '{}'
      from news.item where story = 'tunnel' on conflict do nothing;
  `);
  await desk.go('stories');
  await page
    .getByRole('listitem')
    .getByText(/^Report [ab]$/)
    .waitFor();
  await page.getByRole('link', { name: 'The tunnel' }).click();
  await page.getByText('Its reports share: Report').waitFor();
  await page.getByText('it names “99”, which no report does').waitFor();
  await page.getByRole('button', { name: 'Side by side: The harbour' }).click();
  const [tunnel, harbour] = ['The tunnel', 'The harbour'].map((name) => page.getByRole('region', { name }));
  await harbour?.getByText('1 report', { exact: true }).waitFor();
  await harbour?.getByRole('button', { name: 'Merge into another story…' }).click();
  await page
    .getByRole('dialog')
    .getByRole('radio', { name: /^The tunnel/, checked: true })
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByText('Merged “The harbour”').first().waitFor();
  await tunnel?.getByText('3 reports', { exact: true }).waitFor();
  await tunnel?.getByRole('button', { name: 'Take apart: The harbour' }).click();
  await tunnel?.getByText('2 reports', { exact: true }).waitFor();
  await tunnel?.getByRole('checkbox', { name: 'Report b' }).check();
  await tunnel?.getByRole('button', { name: 'Make 1 report a story of its own' }).click();
  await tunnel?.getByText('1 report', { exact: true }).waitFor();
  await page.keyboard.press('u');
  await tunnel?.getByText('2 reports', { exact: true }).waitFor();
  await tunnel?.getByLabel('Digest').fill('The tunnel is built.');
  await tunnel?.getByRole('button', { name: 'Save' }).click();
  await tunnel?.getByText('Written by a person: Pressroom leaves it as it is.').waitFor();
  await tunnel?.getByLabel('Correction', { exact: true }).fill('It is not built.');
  await tunnel?.getByRole('button', { name: 'Save' }).click();
  await tunnel?.getByText('Said what was wrong').waitFor();
  const { rows } = await desk.database.pool.query("select digest from news.story where public_id = 'tunnel'");
  expect(rows).toEqual([{ digest: 'The tunnel is built.' }]);
});

test('the hot list says what moves it', async () => {
  const { page } = desk;
  await desk.go('hot');
  await page.getByText('It fills by itself as sources are read.').waitFor();
  await page.getByRole('button', { name: 'Rank now' }).click();
  await page
    .getByText(/^A ranking of \d+ topics? is public$/)
    .first()
    .waitFor();
  await page.getByText('2 sources · 2 reports').click();
  await page.getByRole('row', { name: /Harbour Times/ }).waitFor();
  const first = page.getByRole('listitem').first();
  const title = String(await first.locator('.hot-title').textContent()).trim();
  await page.getByRole('button', { name: `Hide: ${title}` }).click();
  await page.getByText('1 hidden story').click();
  await page.getByRole('button', { name: /^Show again: / }).click();
  await page.getByRole('button', { name: `Pin: ${title}` }).click();
  await first.getByText('Pinned').waitFor();
  const bars = page.locator('.heat-bar');
  expect(new Set(await bars.evaluateAll((all) => all.map(({ clientWidth }) => clientWidth))).size).toBe(1);
});

test('an owner sets hour, zone and categories, in English and Chinese, and the trail says so', async () => {
  const { page } = desk;
  await page.goto(`${desk.gallery.url}/desk/people/news`);
  await page.getByLabel('Hour of the reports').selectOption('06:00');
  const zone = page.getByLabel('Time zone of the reports');
  await zone.fill('Europe/Lisboa');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This time zone is not known.').waitFor();
  await zone.fill('Europe/Lisbon');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. It takes effect now.').waitFor();
  await page.getByText('Set at the desk. The server’s value: 08:00').waitFor();

  await desk.elsewhere('PATCH', '/settings', { reportHour: 7 });
  await page.getByRole('button', { name: 'Time zone of the reports: use the server’s value' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed the settings meanwhile.').waitFor();
  expect(await page.getByLabel('Hour of the reports', { exact: true }).inputValue()).toBe('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. It takes effect now.').waitFor();

  await page.getByRole('checkbox', { name: 'Sport' }).check();
  await page.getByRole('button', { name: 'Add a category' }).click();
  const added = page.getByRole('group', { name: 'Categories of the news' }).getByRole('listitem').last();
  await added.getByLabel('Label').and(page.locator(':focus')).fill('Trams');
  await added.getByLabel('Name in addresses').fill('The trams');
  await added.getByLabel('Words').fill('tram, light  rail, 有轨电车');
  await page.getByRole('button', { name: 'Move up: Trams' }).press('Enter');
  await page.getByRole('button', { name: 'Move up: Trams' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Remove: Insight' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Write it in a–z, 0–9 and -, with a letter or digit first.').waitFor();
  // What is not saved stays while another page is shown.
  await page.getByRole('link', { name: 'Trail' }).click();
  await page.getByRole('link', { name: 'Newsroom' }).click();
  expect(await added.getByLabel('Label').inputValue()).toBe('Trams');
  await added.getByLabel('Name in addresses').fill('trams');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('In addresses: trams').waitFor();
  expect(await added.getByLabel('Words').inputValue()).toBe('tram, light rail, 有轨电车');
  await page
    .getByText('Removed, but still found by readers where items have them: Insight (insight)')
    .waitFor();
  await page.getByRole('combobox', { name: 'Add one from the packs' }).selectOption('Football');
  expect(await added.getByLabel('Label').inputValue()).toBe('Football');

  await page.getByRole('link', { name: 'Trail' }).click();
  await page
    .getByRole('row', { name: /Changed the settings of the news Hour of the reports: 6 → 7/ })
    .waitFor();

  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await page.goto(`${desk.gallery.url}/desk/people/news`);
  await page.getByLabel('报告的时刻', { exact: true }).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await faultsOf(page, await readAxe())).toEqual([]);
});
