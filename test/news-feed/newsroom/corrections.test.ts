import { readVocabulary } from '@pressroom/news-feed/config';
import { inEdit } from '@pressroom/news-feed/editing/edits';
import { readHistory, undoEdit } from '@pressroom/news-feed/editing/undo';
import { correctReport, previewReport, publishReport } from '@pressroom/news-feed/work/report';
import { readLexicon } from '@pressroom/stories';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { importLines, itemLine, newsroom } from '../../support/newsroom.ts';

const VOCABULARY = readVocabulary({ NEWS_REPORT_TIMEZONE: 'Europe/Lisbon', NEWS_REPORT_HOUR: '6' });
/** An hour after the report of that day, in a year when no report is past. */
const NOW = new Date('2050-05-03T06:00:00Z');
const DAILY = { period: 'daily', date: '2050-05-03', vocabulary: VOCABULARY } as const;

let now = NOW;
let feed: NewsFeedFixture;

function item(id: string, members: object = {}) {
  const time = '2050-05-02T12:00:00.000Z';
  const dated = { publishedAt: time, discoveredAt: time };
  return itemLine(id, {
    ...{ ...dated, selected: true, summary: `About ${id}.`, category: 'product', ...members },
  });
}

beforeAll(async () => {
  const zone = { NEWS_REPORT_TIMEZONE: 'Europe/Lisbon', NEWS_REPORT_HOUR: '6' };
  feed = await newsFeedFixture({ CACHE_BYTES: '0', ...zone }, () => now);
  await importLines(feed.db, [item('a', { score: 50 }), item('b', { score: 40 })], NOW);
});
afterAll(() => feed.close());

function correct(at = NOW) {
  return inEdit(feed.db, { actor: 'ana', action: 'report correct' }, (tx) =>
    correctReport(tx, { ...DAILY, now: at }),
  );
}

async function shown() {
  return (await send(`${feed.url}/api/v1/dailies/${DAILY.date}`)).body.report;
}

test('a preview is what would be published, and writes nothing', async () => {
  const preview = await previewReport(feed.db, DAILY);
  expect(preview).toMatchObject({
    ...{ period: 'daily', date: '2050-05-03', publishedAt: null },
    windowEnd: new Date('2050-05-03T05:00:00Z'),
    report: { lead: { itemId: 'a' }, sections: [{ items: [{ itemId: 'a' }, { itemId: 'b' }] }] },
  });
  expect((await send(`${feed.url}/api/v1/dailies/${DAILY.date}`)).status).toBe(404);
  await expect(correct()).rejects.toThrow('there is no daily report for 2050-05-03 to correct');
  await feed.db.transaction().execute((tx) => publishReport(tx, { ...DAILY, now: NOW }));
  const { rows } = await feed.database.pool.query('select report from news.daily');
  expect(rows[0].report).toEqual(preview.report);
  const empty = await previewReport(feed.db, { ...DAILY, date: '2051-05-03' });
  expect(empty).toMatchObject({ report: null });
  await expect(previewReport(feed.db, { ...DAILY, period: 'weekly' })).rejects.toThrow('a weekly report has');
});

test('a report is corrected on its day, readers and feeds are told, and it is undone', async () => {
  const before = await shown();
  expect(before).not.toHaveProperty('correctedAt');
  expect(await correct()).toEqual({ result: false, edit: null });
  await importLines(feed.db, [
    item('a', { title: 'Right', score: 50 }),
    item('b', { selected: false }),
    item('c'),
  ]);
  expect((await shown()).lead.title).toBe('Title of a');
  const at = new Date('2050-05-03T22:59:59Z');
  const { edit } = await correct(at);
  const after = await shown();
  expect(after).toMatchObject({ generatedAt: before.generatedAt, correctedAt: at.toISOString() });
  expect([after.lead.title, ...after.sections[0].items.map(({ title }: { title: string }) => title)]).toEqual(
    [...['Right', 'Right', 'Title of c']],
  );
  const { text } = await send(`${feed.url}/dailies/feed.atom`);
  expect(text).toContain('<updated>2050-05-03T22:59:59.000Z</updated>');
  expect(await readHistory(feed.db, { kind: 'daily', subject: DAILY.date, limit: 5 })).toMatchObject([
    { edit, actor: 'ana', action: 'report correct' },
  ]);
  const parts = { actor: 'ana', renewal: { lexicon: readLexicon(), now: at }, zone: 'Europe/Lisbon' };
  await undoEdit(feed.db, edit ?? 0, parts);
  expect(await shown()).toEqual(before);
});

test('what was wrong with a report of a past day is said beside it, in the index and in feeds', async () => {
  const { url: site, database } = feed;
  await database.pool.query(
    `insert into news.daily (date, generated_at, window_start, window_end, report, item_ids)
     values ('2021-05-03', '2021-05-03T05:00:00Z', '2021-05-02', '2021-05-03', '{"lead":null,"sections":[],"flashes":[]}', '{}')`,
  );
  const read = async () => (await send(`${site}/api/v1/dailies/2021-05-03`)).body;
  const before = await read();
  const note = (text: string) =>
    newsroom(database.url, ['report', 'note', 'daily', text, '--date', '2021-05-03', '--json']);
  const { edit } = JSON.parse((await note('It was <Lisbon>.')).stdout);
  const correction = { note: 'It was <Lisbon>.', correctedAt: expect.any(String) };
  expect(await read()).toEqual({ ...before, correction });
  const index = (await send(`${site}/api/v1/dailies`)).body.items;
  expect(index.find(({ date }: { date: string }) => date === '2021-05-03')).toMatchObject({ correction });
  const { text } = await send(`${site}/dailies/feed.json`);
  const entry = JSON.parse(text).items.find(({ id }: { id: string }) => id.endsWith('2021-05-03'));
  expect(entry.content_html).toContain('<p>It was &#x3C;Lisbon>.</p>');
  expect(entry.date_modified).toBe((await read()).correction.correctedAt);
  const parts = { actor: 'ana', renewal: { lexicon: readLexicon(), now }, zone: 'Europe/Lisbon' };
  await undoEdit(feed.db, edit, parts);
  expect(await read()).toEqual(before);
});

test('after its day, in the time zone of the site, a report is left as it is', async () => {
  now = new Date('2050-05-03T23:00:00Z');
  await expect(correct(now)).rejects.toThrow('the report of a past day cannot be changed');
  // One of today, wherever it is: the database would take Shanghai's day otherwise.
  const { rows } = await feed.database.pool.query(
    `insert into news.daily (date, generated_at, window_start, window_end, report, item_ids)
     values ((now() at time zone 'Etc/GMT+12')::date, now(), now() - interval '1 day', now(), '{}', '{}')
     returning to_char(date, 'YYYY-MM-DD') as date`,
  );
  const change = (zone: string) =>
    feed.database.pool.query(
      `select set_config('news.report_zone', '${zone}', false); update news.daily set item_ids = '{x}' where date = '${rows[0].date}'`,
    );
  await expect(change('Pacific/Kiritimati')).rejects.toThrow('the report of a past day cannot be changed');
  await change('Etc/GMT+12');
});

test('a worker whose clock is behind the database corrects no past report either', async () => {
  await feed.database.pool.query(
    `insert into news.daily (date, generated_at, window_start, window_end, report, item_ids)
     values ('2020-05-03', now(), now() - interval '1 day', now(), '{}', '{}')`,
  );
  const late = { ...DAILY, date: '2020-05-03', now: new Date('2020-05-03T06:00:00Z') };
  const corrected = feed.db.transaction().execute((tx) => correctReport(tx, late));
  await expect(corrected).rejects.toMatchObject({ kind: 'conflict' });
});

test('the commands preview and correct', async () => {
  const preview = await newsroom(feed.database.url, ['report', 'preview', 'weekly', '--json']);
  expect(JSON.parse(preview.stdout)).toMatchObject({ period: 'weekly', publishedAt: null, report: null });
  const refused = await newsroom(feed.database.url, ['report', 'correct', 'daily', '--date', '2049-01-01']);
  expect(refused).toMatchObject({ code: 1, stderr: 'there is no daily report for 2049-01-01 to correct\n' });
});
