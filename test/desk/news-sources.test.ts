import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skipWithout } from '../support/browser.ts';
import { rss } from '../support/feed-host.ts';
import { type NewsDesk, openNewsDesk } from '../support/news-desk.ts';
import { until } from '../support/until.ts';

let desk: NewsDesk;
let opened: NewsDesk | undefined;

beforeAll(async () => {
  opened = await openNewsDesk();
  if (opened === undefined) return;
  desk = opened;
  const entries = Array.from({ length: 6 }, (_, index) => ({
    guid: `e-${index}`,
    title: index < 2 ? `Sponsored offer ${index}` : `Report ${index} of the town`,
  }));
  desk.host.set('/feed', { body: rss(entries, { title: 'The feed' }) });
  await desk.elsewhere('POST', '/sources', { url: desk.host.at('/feed'), name: 'The feed' });
  await until('the worker has read the feed', async () => {
    const { rowCount } = await desk.database.pool.query('select 1 from news.item');
    return rowCount === 6;
  });
});
skipWithout(() => opened?.browser);
afterAll(async () => {
  expect(await opened?.close()).toEqual(opened && []);
});

const stateOf = async (name: string) => {
  const { rows } = await desk.database.pool.query('select state from news.source where name = $1', [name]);
  return rows[0]?.state;
};

test('a source shows how it is, is paused, and goes on when that is taken back', async () => {
  const { page } = desk;
  await desk.go('sources');
  await page.getByRole('img', { name: /of the last 14 days: .*, 6$/ }).waitFor();
  await page.getByText('6 in 24 h').waitFor();
  await page.getByRole('button', { name: 'Pause The feed' }).click();
  await page.getByRole('list', { name: 'Sources' }).getByText('Paused').waitFor();
  expect(await stateOf('The feed')).toBe('paused');
  await page.keyboard.press('u');
  await page.getByRole('button', { name: 'Pause The feed' }).waitFor();
  expect(await stateOf('The feed')).toBe('active');
});

test('rules are tried on what the source has brought, then saved, and taken back', async () => {
  const { page } = desk;
  await desk.go('sources');
  await page.getByRole('link', { name: 'The feed' }).click();
  await page.getByText('For experts: as text').click();
  const text = page.getByLabel('Rules as text');
  await text.fill('score +10 if title ~ /report/\ndrop if title ~ /(/');
  await page.getByRole('button', { name: 'Try them' }).click();
  await page.getByText(/Rule 2 cannot be understood/).waitFor();
  await text.fill('drop if title ~ /sponsored/i');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  const rule = page.getByRole('group', { name: 'Rule 2' });
  await rule.getByLabel('What happens').selectOption('Score +10');
  await rule.getByLabel('Words').fill('report 3');
  expect(await text.inputValue()).toBe('drop if title ~ /sponsored/i\nscore +10 if title ~ /report 3/i');
  await page.getByRole('button', { name: 'Try them' }).click();
  await page.getByText('2 of 6 entries would be dropped').waitFor();
  await page.getByText('score +10', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changed the settings of “The feed”').first().waitFor();
  const rules = async () =>
    (await desk.database.pool.query("select rules from news.source where name = 'The feed'")).rows[0].rules;
  expect(await rules()).toHaveLength(2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page
    .getByText(/^Undone: /)
    .first()
    .waitFor();
  expect(await rules()).toHaveLength(0);
});

test('settings that were typed are there again after a look at another page, and overwrite nothing', async () => {
  const { page } = desk;
  const screens = page.getByRole('navigation', { name: 'Screens of the news' });
  const sources = screens.getByRole('link', { name: 'Sources' });
  await desk.go('sources');
  await page.getByRole('link', { name: 'The feed' }).click();
  await page.getByText('For experts: as text').click();
  await page.getByLabel('Rules as text').fill('drop if title ~ /offer/i');
  await screens.getByRole('link', { name: 'Today' }).click();
  await sources.click();
  await page.getByRole('link', { name: 'The feed' }).click();
  await expect.poll(() => page.getByLabel('Rules as text').inputValue()).toBe('drop if title ~ /offer/i');
  const { id } = (await desk.database.pool.query("select id from news.source where name = 'The feed'"))
    .rows[0];
  await sources.click();
  await desk.elsewhere('PATCH', `/sources/${id}`, { rules: ['score +1 if title ~ /town/i'] });
  await page.getByRole('link', { name: 'The feed' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('score +1 if title ~ /town/i').waitFor();
  await dialog.getByRole('button', { name: 'Keep it as it is now' }).click();
  await dialog.waitFor({ state: 'detached' });
  await desk.elsewhere('PATCH', `/sources/${id}`, { rules: [] });
  await sources.click();
  await page.getByRole('link', { name: 'The feed' }).click();
  await page.getByText('For experts: as text').click();
  await page.getByLabel('Rules as text').fill('drop if title ~ /other/i');
  await page.getByLabel('Rules as text').fill('');
  await sources.click();
  await page.getByRole('link', { name: 'The feed' }).click();
  await page.getByRole('group', { name: 'Rule 1' }).waitFor({ state: 'detached' });
});

test('what somebody else has set in between is shown, and is not overwritten', async () => {
  const { page } = desk;
  await desk.go('sources');
  await page.getByRole('link', { name: 'The feed' }).click();
  await page.getByLabel('Weight').fill('3');
  const { id } = (await desk.database.pool.query("select id from news.source where name = 'The feed'"))
    .rows[0];
  await desk.elsewhere('PATCH', `/sources/${id}`, { weight: 2 });
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('cell', { name: '2', exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Keep it as it is now' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.getByLabel('Weight').inputValue()).toBe('2');
});

test('OPML comes in by a drop and goes out as a file; a source is removed', async () => {
  const { page } = desk;
  await desk.go('sources');
  await page.getByRole('link', { name: 'The feed' }).waitFor();
  const opml = `<opml version="2.0"><body><outline text="Dropped" xmlUrl="${desk.host.at('/dropped')}"/>
    <outline text="Known" xmlUrl="${desk.host.at('/feed')}"/><outline text="Bad" xmlUrl="gopher://x"/></body></opml>`;
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'sources.opml', { type: 'text/xml' }));
    document.body.dispatchEvent(
      new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
    );
  }, opml);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 source was added.').waitFor();
  await dialog.getByText('1 was there before').waitFor();
  await dialog.getByText(/gopher/).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export OPML' }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toContain(desk.host.at('/dropped'));
  await page.getByRole('link', { name: 'Dropped' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('link', { name: 'The feed' }).waitFor();
  await page.getByRole('link', { name: 'Dropped' }).waitFor({ state: 'detached' });
  await page.getByText('Removed “Dropped”').first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'Dropped' }).waitFor();
  expect(await stateOf('Dropped')).toBe('active');
});

test('what was typed is asked about before Escape or a click beside it discards it', async () => {
  const { page } = desk;
  await desk.go('sources');
  await page.getByRole('link', { name: 'The feed' }).waitFor();
  await page.keyboard.press('a');
  const form = page.getByRole('dialog', { name: 'Add a source' });
  await form.waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await page.keyboard.press('a');
  await form.getByLabel('Address').fill('https://example.com/feed');
  const question = page.getByRole('dialog', { name: 'Discard what you have written here?' });
  // However often it is pressed.
  for (const state of ['visible', 'detached', 'visible', 'detached'] as const) {
    await page.keyboard.press('Escape');
    await question.waitFor({ state });
  }
  await page.mouse.click(5, 5);
  await question.getByRole('button', { name: 'Keep writing' }).click();
  expect(await form.getByLabel('Address').inputValue()).toBe('https://example.com/feed');
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard' }).click();
  await form.waitFor({ state: 'detached' });
});

test('an address is tried as it is meant, and what is none cannot be added', async () => {
  const { page } = desk;
  const links = Array.from(
    { length: 6 },
    (_, index) => `<li><a href="/town/${index}">A report of the town, ${index}</a>`,
  );
  desk.host.set('/town', {
    headers: { 'content-type': 'text/html' },
    body: `<title>Town</title><ul>${links.join('')}</ul>`,
  });
  await desk.go('sources');
  await page.getByRole('link', { name: 'The feed' }).waitFor();
  await page.keyboard.press('a');
  const form = page.getByRole('dialog', { name: 'Add a source' });
  const address = form.getByLabel('Address');
  const anyway = form.getByRole('button', { name: 'Add it anyway' });
  await address.fill('not a url');
  await form.getByRole('button', { name: 'Test' }).click();
  await form.getByRole('alert').getByText(/./).waitFor();
  expect(await anyway.count()).toBe(0);
  await address.fill(desk.host.at('/town'));
  await form.getByRole('button', { name: 'Test' }).click();
  await anyway.waitFor();
  await form.getByRole('button', { name: 'Read it as a page' }).click();
  await expect.poll(() => form.getByLabel('It is a page that lists articles').isChecked()).toBe(true);
  await address.fill('town.invalid/feed');
  await form.getByRole('button', { name: 'Test' }).click();
  await expect.poll(() => address.inputValue()).toBe('https://town.invalid/feed');
  desk.host.set('/wire', { body: rss([{ guid: 'w', title: 'A town has a wire' }], { title: 'Tech Wire' }) });
  await form.getByLabel('It is a page that lists articles').uncheck();
  await address.fill(desk.host.at('/wire'));
  await form.getByRole('button', { name: 'Test' }).click();
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added “Tech Wire”').first().waitFor();
});

test('the place of the text on pages is tried and saved, and what is no selector is told at its field', async () => {
  const { page } = desk;
  const story = '<p class="story">The lantern is lit.</p>';
  desk.host.set('/page', { headers: { 'content-type': 'text/html' }, body: story });
  desk.host.set('/wire', { body: rss([{ guid: 'w', link: desk.host.at('/page') }], { title: 'Tech Wire' }) });
  await desk.go('sources');
  await page.getByRole('link', { name: 'Tech Wire' }).click();
  await page.getByLabel('Read the pages of its articles').check();
  const place = page.getByLabel('Place of their text');
  await place.fill('p[');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const problem = page.getByText('Write a CSS selector, such as .story-body, or nothing.').first();
  await problem.waitFor();
  expect(await place.getAttribute('aria-invalid')).toBe('true');
  await place.fill('.story');
  await page.getByRole('button', { name: 'Show the text of its first entry' }).click();
  await page.getByRole('status').getByText('The lantern is lit.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await problem.waitFor({ state: 'detached' });
  await page.reload();
  await expect.poll(() => place.inputValue()).toBe('.story');
});

test('a login and headers are set, are sent at once, and do not come back to the page', async () => {
  const { page } = desk;
  await desk.go('sources');
  await page.getByRole('link', { name: 'The feed' }).click();
  await page.getByText('More: access').click();
  await page.getByLabel('How its entries are told apart').selectOption({ label: 'The address alone' });
  await page.getByLabel('Log in as').fill('ada');
  await page.getByLabel('Headers').fill('X-Token');
  const save = page.getByRole('button', { name: 'Save and read it now' });
  await save.click();
  await page.getByText('Type the password, too.').waitFor();
  await page.getByText('Header 1 has no value yet.').waitFor();
  await page.getByLabel('Login password').fill('open sesame');
  await page.getByLabel('Headers').fill('X-Token: swordfish');
  await save.click();
  await until('the worker has sent them', async () =>
    desk.host.requests.some(({ headers }) => headers['x-token'] === 'swordfish' && headers.authorization),
  );
  await page.getByText('More: access').click();
  await expect.poll(() => page.getByLabel('Headers').inputValue()).toBe('x-token:');
  expect(await page.getByLabel('Login password').inputValue()).toBe('');
  expect(await page.getByLabel('How its entries are told apart').inputValue()).toBe('link');
  const before = desk.host.requests.length;
  await page.getByRole('button', { name: 'Read it now', exact: true }).click();
  await until('the worker has read it again', async () => desk.host.requests.length > before);
});
