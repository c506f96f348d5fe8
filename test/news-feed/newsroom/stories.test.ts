import { restoreItem, withdrawItem } from '@pressroom/news-feed/editing/items';
import { unmergeStory } from '@pressroom/news-feed/editing/undo';
import {
  type AssignableItem,
  adoptReferences,
  RulesAssigner,
} from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { transactWithRetries } from '@pressroom/news-feed/transactions';
import { readLexicon } from '@pressroom/stories';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { madeUpReport, seeded } from '../../../bench/stories/made-up-report.ts';
import { send } from '../../support/http.ts';
import { insertRows, itemRow, type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { importLines, newsroom } from '../../support/newsroom.ts';
import { until } from '../../support/until.ts';

const NOON = new Date('2026-11-20T12:00:00Z');
const HOUR = 60 * 60 * 1000;

let feed: NewsFeedFixture;
const assigner = new RulesAssigner(new StorySearch(readLexicon()));

beforeAll(async () => {
  feed = await newsFeedFixture();
});

afterAll(() => feed.close());

beforeEach(async () => {
  await feed.database.pool.query('truncate news.item, news.story cascade');
});

/** Stores an item and assigns it, as the worker does, and returns its story. */
async function report(
  id: string,
  title: string,
  { summary = null as string | null, hours = 0, source = `Source of ${id}` } = {},
): Promise<string> {
  const [story = ''] = await reportAll([{ id, title, summary, hours, source }]);
  return story;
}

/** The same for several items in one transaction; returns their stories. */
async function reportAll(
  reports: readonly { id: string; title: string; summary?: string | null; hours?: number; source?: string }[],
): Promise<string[]> {
  const items = reports.map(
    ({ id, title, summary = null, hours = 0, source = `Source of ${id}` }): AssignableItem => {
      const publishedAt = new Date(NOON.getTime() + hours * HOUR);
      const about = { sourceName: source, category: null, publishedAt, discoveredAt: publishedAt };
      return { id, title, originalTitle: null, summary, ...about };
    },
  );
  const rows = items.map(({ id, title, summary, sourceName, publishedAt }) =>
    itemRow(id, {
      id,
      title,
      summary,
      source_name: sourceName,
      published_at: publishedAt,
      discovered_at: NOON,
    }),
  );
  const last = new Date(Math.max(NOON.getTime(), ...items.map(({ publishedAt }) => publishedAt.getTime())));
  await transactWithRetries(feed.db, async (tx) => {
    await assigner.assign(tx, items, last, insertRows(tx, rows));
  });
  const stored = await feed.db.selectFrom('news.item').select(['id', 'story']).execute();
  return items.map(({ id }) => {
    const story = stored.find((item) => item.id === id)?.story;
    if (!story) throw new Error(`${id} stayed without a story`);
    return story;
  });
}

/** The texts of a report. */
interface ReportTexts {
  title: string;
  summary?: string;
}

function open(publicId: string) {
  return send(`${feed.url}/api/v1/stories/${publicId}`);
}

async function read(publicId: string) {
  return (await open(publicId)).body.story;
}

const QUAKE = 'Magnitude 6.4 earthquake strikes off Arica, Chile';

test('reports on one event are one story, in English and Chinese', async () => {
  const story = await report('en', QUAKE, { summary: 'The depth was 38 km; no tsunami warning was issued.' });
  expect(
    await report('zh', '智利阿里卡近海发生6.4级地震', {
      summary: '震源深度38公里，未发布海啸预警。',
      hours: 1,
    }),
  ).toBe(story);
  expect(await report('other', 'A bakery in Leeds plans its bread with a spreadsheet')).not.toBe(story);
  const { reports, sourceCount } = await read(story);
  expect(reports.map(({ id }: { id: string }) => id)).toEqual(['zh', 'en']);
  expect(sourceCount).toBe(2);
});

/** Pairs of reports of one source on two events, of which only what the source adds to each is alike. */
const SHARED_PARTS: readonly (readonly [string, ReportTexts, ReportTexts])[] = [
  [
    'the name of the site',
    { title: 'Six planets line up in a rare sight - Estuary Evening News', summary: 'Look west after dusk.' },
    {
      title: 'Mayor faces questions on tram delays - Estuary Evening News',
      summary: 'She will answer today.',
    },
  ],
  [
    'a name before the title',
    { title: 'Harbour Morning Herald | Bakery plans its bread with a spreadsheet' },
    { title: 'Harbour Morning Herald | Cyclists ask for a bridge' },
  ],
  [
    'a sentence in every summary',
    {
      title: 'Bakery plans its bread with a spreadsheet',
      summary: 'Loaves sell out. Independent reporting on Leeds and Yorkshire, paid for by our members.',
    },
    {
      title: 'Cyclists ask for a bridge',
      summary: 'A petition. Independent reporting on Leeds and Yorkshire, paid for by our members.',
    },
  ],
  [
    'a sentence with a number in every summary',
    {
      title: 'Bakery plans its bread with a spreadsheet',
      summary: 'Loaves sell out. Reported for the Leeds and Yorkshire Evening Herald, edition 20 of 365.',
    },
    {
      title: 'Cyclists ask for a bridge',
      summary: 'A petition. Reported for the Leeds and Yorkshire Evening Herald, edition 21 of 365.',
    },
  ],
  ...(
    [
      ['[Estuary Evening Herald] ', ''],
      ['Estuary: ', ''],
      ['', ' « Estuary Evening Herald'],
      ['', ' › Estuary Evening Herald'],
      ['', ' (Estuary Evening Herald)'],
      ['', ' @ Estuary Evening Herald'],
      ['Estuary Evening Herald ::: ', ''],
    ] as const
  ).map(([before, after]): (typeof SHARED_PARTS)[number] => [
    `a name as in “${before}…${after}”`,
    { title: `${before}Bakery plans its bread${after}` },
    { title: `${before}Cyclists ask for a bridge${after}` },
  ]),
  [
    '方括号里的名称',
    { title: '【江城晚间新闻网】六颗行星连成一线' },
    { title: '【江城晚间新闻网】市长回应电车延误' },
  ],
  ['网站名称', { title: '六颗行星连成一线_江城晚间新闻网' }, { title: '市长回应电车延误_江城晚间新闻网' }],
];

test.each(SHARED_PARTS)('%s joins no stories', async (_, one, other) => {
  const source = 'Estuary';
  const batch = [one, other].map((texts, index) => ({ id: `batch-${index}`, source, ...texts }));
  const [first, second] = await reportAll(batch);
  expect(second).not.toBe(first);
  await feed.database.pool.query('truncate news.item, news.story cascade');
  const alone = await report('first', one.title, { ...one, source });
  expect(await report('second', other.title, { ...other, source, hours: 1 })).not.toBe(alone);
});

test('two reports of a source on one event are one story, with its name behind both titles', async () => {
  const story = await report('first', `${QUAKE} - Estuary Evening News`, { source: 'Estuary' });
  const again = 'Earthquake off Arica in Chile: magnitude 6.4 - Estuary Evening News';
  expect(await report('second', again, { source: 'Estuary', hours: 1 })).toBe(story);
});

test('reports of years that are read at once are found by each other, in any order', async () => {
  const yearAgo = -400 * 24;
  const older = await report('older', QUAKE, { hours: yearAgo });
  for (let index = 0; index < 12; index += 1) await report(`recent-${index}`, `Recipe number ${index}`);
  expect(await report('newer', '6.4 earthquake off Arica, Chile', { hours: yearAgo + 2 })).toBe(older);
});

test('what came long ago leaves the index', async () => {
  await report('early', QUAKE);
  await report('late', 'A bakery in Leeds plans its bread with a spreadsheet', { hours: 91 * 24 });
  const { rows } = await feed.database.pool.query('select item_id from news.report_terms');
  expect(rows).toEqual([{ item_id: 'late' }]);
});

test('a batch is told in the order of publication, whatever the order of its feed', async () => {
  const column = [0, 24, 48].map((hours) => ({ id: `day-${hours}`, title: 'The view from Arica', hours }));
  const [third, second, first] = await reportAll(
    column.map((one) => ({ ...one, source: 'Estuary Weekly' })).toReversed(),
  );
  expect(second).toBe(first);
  expect(third).not.toBe(first);
  const reports = [2, 1, 0].map((hours) => ({
    id: `quake-${hours}`,
    title: `${QUAKE}, hour ${hours}`,
    hours,
  }));
  const [story = ''] = await reportAll(reports);
  expect((await read(story)).title).toBe(`${QUAKE}, hour 0`);
});

test('two releases of one product are two stories of one storyline', async () => {
  const first = await report('7', 'Studio Ember releases Ember 7 with open weights', {
    summary: 'Ember 7 by Studio Ember is free.',
  });
  const second = await report('8', 'Studio Ember releases Ember 8 with open weights', {
    hours: 9 * 24,
    summary: 'Ember 8 by Studio Ember is free.',
  });
  expect(second).not.toBe(first);
  expect((await read(second)).storyline).toMatchObject([
    { publicId: first, relation: 'Earlier in this storyline' },
  ]);
  expect((await read(first)).storyline).toMatchObject([
    { publicId: second, relation: 'Later in this storyline' },
  ]);
});

test('reports of two sources that fit two stories merge them into the older one, whose address the other redirects to', async () => {
  const older = await report('a', 'Northwind raises $420 million', {
    summary: 'Northwind plans a plant in Ohio.',
  });
  const newer = await report('b', 'Halberd Capital leads its largest deal', {
    hours: 1,
    summary: 'Halberd Capital values the maker of warehouse machines at $3.1 billion.',
  });
  expect(newer).not.toBe(older);
  const bridge = (id: string, source: string) =>
    report(id, 'Northwind raises $420 million from Halberd Capital for its plant in Ohio', {
      hours: 2,
      source,
      summary: 'Halberd Capital values Northwind, a maker of warehouse machines, at $3.1 billion.',
    });
  expect(await bridge('c', 'One')).toBe(older);
  expect(await bridge('d', 'One')).toBe(older);
  expect((await open(newer)).status).toBe(200);
  expect(await bridge('e', 'Two')).toBe(older);
  const moved = await until('the merge is shown', async () => {
    const answer = await open(newer);
    return answer.status === 308 ? answer : undefined;
  });
  expect(moved.headers.get('location')).toBe(`/api/v1/stories/${older}`);
  expect((await read(older)).reportCount).toBe(5);
  await unmergeStory(feed.db, newer, {
    ...{ actor: 'ana', zone: 'UTC', renewal: { lexicon: readLexicon(), now: NOON } },
  });
  await until('it has its own report again', async () => (await open(newer)).status === 200);
  expect((await read(newer)).reports).toMatchObject([{ id: 'b' }]);
  // A report that joins one of them no longer merges them.
  await bridge('f', 'Three');
  await until('all of the others', async () => (await read(older)).reportCount === 5);
  expect((await open(newer)).status).toBe(200);
});

test('two reports on one event at the same time make one story', async () => {
  const stories = await Promise.all(
    ['one', 'two', 'three', 'four'].map((id) => report(id, QUAKE, { summary: 'The depth was 38 km.' })),
  );
  expect(new Set(stories).size).toBe(1);
});

test('reports of one batch on one event are one story, whatever is between them', async () => {
  const [first, other, second] = await reportAll([
    { id: 'a', title: QUAKE, summary: 'The depth was 38 km.' },
    { id: 'b', title: 'A bakery in Leeds plans its bread with a spreadsheet' },
    { id: 'c', title: QUAKE, summary: 'The depth was 38 km.', hours: 1 },
  ]);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
  expect((await read(first ?? '')).reportCount).toBe(2);
});

test('batches on the same events at the same time make one story of each', async () => {
  const event = (number: number) => ({
    title: `Studio Ember${number} of Tallinn${number} opens Kelp${number}`,
    summary: `Kelp${number} by Ember${number} costs ${number}7 dollars.`,
  });
  const batches = [0, 1, 2, 3].map((batch) =>
    reportAll(Array.from({ length: 8 }, (_, at) => ({ id: `${batch}-${at}`, ...event((at + batch) % 8) }))),
  );
  const stories = (await Promise.all(batches)).flat();
  const { rows } = await feed.database.pool.query(
    'select count(*)::int as reports from news.item group by story, title order by 1',
  );
  expect(rows.map(({ reports }) => reports)).toEqual(Array.from({ length: 8 }, () => 4));
  expect(new Set(stories).size).toBe(8);
});

test('a story takes over where those that the newsroom merges into it pointed', async () => {
  const [survivor = '', merged = '', other = ''] = await reportAll([
    { id: 's', title: 'A bakery in Leeds plans its bread with a spreadsheet' },
    { id: 'm', title: 'Studio Ember releases Ember 8 with open weights' },
    { id: 'o', title: QUAKE },
  ]);
  const point = (story: string, neighbor: string) =>
    feed.database.pool.query("insert into news.story_reference values ($1, 'related', $2, 'Related', 0)", [
      story,
      neighbor,
    ]);
  await point(merged, other);
  await point(other, merged);
  await feed.db.transaction().execute(async (tx) => {
    await sql`update news.story set merged_into = ${survivor} where public_id = ${merged}`.execute(tx);
    await sql`update news.item set story = ${survivor} where story = ${merged}`.execute(tx);
    await adoptReferences(tx, [merged], survivor);
  });
  const shown = await until('the merge is shown', async () => {
    const story = await read(survivor);
    return story.reportCount === 2 && story;
  });
  expect(shown.related).toMatchObject([{ publicId: other }]);
  expect((await read(other)).related).toMatchObject([{ publicId: survivor }]);
});

test('among many reports, one that shares common words with some of them starts a story', async () => {
  const [random, stored, more] = [seeded(3), 2400, 400];
  const many = Array.from({ length: stored + more }, (_, at) => madeUpReport(at, NOON, random));
  const stories = async () => {
    const { rows } = await feed.database.pool.query('select count(*)::int as count from news.story');
    return rows[0].count;
  };
  for (let start = 0; start < stored; start += 100) await reportAll(many.slice(start, start + 100));
  const before = await stories();
  for (let start = stored; start < many.length; start += 100) {
    await reportAll(many.slice(start, start + 100));
  }
  expect((await stories()) - before).toBeGreaterThan(0.97 * more);
}, 60_000);

test('an item that is withdrawn brings no other into its story', async () => {
  const story = await report('gone', QUAKE);
  await feed.db.updateTable('news.item').set({ withdrawn_at: NOON }).where('id', '=', 'gone').execute();
  expect(await report('new', QUAKE, { hours: 1 })).not.toBe(story);
});

test('an event of a month ago is not continued by a report that reads the same', async () => {
  const story = await report('then', 'Studio Ember apologises for an outage of Kelp');
  expect(await report('now', 'Studio Ember apologises for an outage of Kelp', { hours: 30 * 24 })).not.toBe(
    story,
  );
});

test('the digest leads with the latest report and says what contradicts earlier ones', async () => {
  const story = await report('first', 'Floods near Valencia leave 11 dead', {
    summary: 'Flash floods near Valencia in Spain left 11 dead.',
    source: 'Alpha',
  });
  expect((await read(story)).digest).toBeNull();
  await report('second', 'Valencia floods leave 14 dead', {
    hours: 5,
    summary: 'Floods near Valencia in Spain left 14 dead. A bridge collapsed in Chiva.',
    source: 'Beta',
  });
  // The service may still have the answer without a digest when the report is stored.
  expect(await until('the story has a digest', async () => (await read(story)).digest)).toBe(
    'Floods near Valencia in Spain left 14 dead. A bridge collapsed in Chiva.\n\n' +
      'This contradicts earlier reporting: Beta has “14 dead”, Alpha had “11 dead”.',
  );
});

/** Runs a command of the newsroom, and returns what it prints. */
async function command(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await newsroom(feed.database.url, args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** Two reports that contradict each other, and a third that changes neither number; returns their story. */
async function threeReports(): Promise<string> {
  const flood = (dead: number) => ({ summary: `Floods near Valencia in Spain left ${dead} dead.` });
  const story = await report('first', 'Floods near Valencia leave 19 dead', {
    ...flood(19),
    source: 'Alpha',
  });
  await report('second', 'Valencia floods leave 11 dead', { ...flood(11), source: 'Beta', hours: 1 });
  await report('third', 'Floods of Valencia leave 14 dead', { ...flood(14), source: 'Gamma', hours: 2 });
  return story;
}

test('the digest and the title of a story forget a report that is withdrawn, and have it again when it is restored', async () => {
  const story = await threeReports();
  const { digest: before } = await until('the digest', async () => {
    const shown = await read(story);
    return shown.digest?.includes('14 dead') && shown;
  });
  const set = (change: typeof withdrawItem, id: string) =>
    transactWithRetries(feed.db, (tx) => change(tx, id, { lexicon: readLexicon(), now: NOON }));
  await set(withdrawItem, 'third');
  await until('the latest report is forgotten', async () => {
    const { digest } = await read(story);
    return digest?.startsWith('Floods near Valencia in Spain left 11 dead.') && !digest.includes('14');
  });
  await set(withdrawItem, 'first');
  await until('the first report is forgotten', async () => {
    const { title, digest } = await read(story);
    return title === 'Valencia floods leave 11 dead' && digest === null;
  });
  for (const id of ['first', 'third']) await set(restoreItem, id);
  await until('both are back', async () => (await read(story)).digest === before);
});

test('a withdrawal by an import is forgotten as well, and a digest that a person wrote stays', async () => {
  const story = await threeReports();
  await importLines(feed.db, [{ type: 'withdraw', id: 'third' }]);
  await until('the latest report is forgotten', async () => !(await read(story)).digest.includes('14'));
  await newsroom(feed.database.url, ['story', 'digest', story], 'By hand.');
  await command('item', 'withdraw', 'second');
  await until('it is withdrawn', async () => (await read(story)).reportCount === 1);
  expect((await read(story)).digest).toBe('By hand.');
});

test('stories that a person merges have a digest of all their reports', async () => {
  const one = await report('a', 'Northwind raises $420 million', { source: 'Alpha' });
  const two = await report('b', 'Halberd Capital leads its largest deal', { hours: 1, source: 'Beta' });
  await command('story', 'merge', two, one);
  await until('the digest', async () => {
    const { digest } = await read(one);
    return digest?.startsWith('Halberd Capital leads its largest deal');
  });
});

test('a story that loses reports to another one by a split says nothing of them, in title and digest', async () => {
  const story = await threeReports();
  const stdout = await command('story', 'split', story, 'first', 'third');
  const created = /^(\S+): the new story/m.exec(stdout)?.[1] ?? '';
  await until('the split is shown', async () => (await open(created)).status === 200);
  expect(await read(story)).toMatchObject({ title: 'Valencia floods leave 11 dead', digest: null });
  const { title, digest } = await read(created);
  expect(title).toBe('Floods near Valencia leave 19 dead');
  expect(digest).toContain('Gamma has “14 dead”, Alpha had “19 dead”');
});

test('a report that an editor corrects or moves is told anew', async () => {
  const story = await threeReports();
  await command('item', 'edit', 'first', '--title', 'Valencia: 12 dead', '--summary', 'Floods left 12 dead.');
  await until('the correction is told', async () => {
    const { title, digest } = await read(story);
    return title === 'Valencia: 12 dead' && !digest.includes('19');
  });
  const other = await report('other', QUAKE);
  await command('item', 'edit', 'third', '--story', other);
  await until('the move is told', async () => {
    const [from, to] = await Promise.all([read(story), read(other)]);
    return !from.digest.includes('14') && to.digest?.includes('14 dead');
  });
});

test('a digest that a person wrote stays', async () => {
  const story = await report('first', QUAKE);
  await report('second', QUAKE, { hours: 1 });
  const { code } = await newsroom(feed.database.url, ['story', 'digest', story], 'By hand.');
  expect(code).toBe(0);
  await report('third', QUAKE, { hours: 2 });
  expect((await read(story)).digest).toBe('By hand.');
});

test('a story that is split by hand stays split', async () => {
  const story = await report('x1', QUAKE);
  await report('x2', QUAKE, { hours: 1 });
  await report('x3', QUAKE, { hours: 2 });
  const { stdout } = await newsroom(feed.database.url, ['story', 'split', story, 'x2']);
  const created = /^(\S+): the new story of x2$/m.exec(stdout)?.[1] ?? '';
  expect(await read(created)).toMatchObject({
    title: QUAKE,
    reportCount: 1,
    storyline: [{ publicId: story }],
  });
  await report('x4', QUAKE, { hours: 3 });
  expect((await open(created)).status).toBe(200);
  expect((await open(story)).status).toBe(200);
});

test.each([
  [['missing', 'x1'], 'story missing does not exist'],
  [['STORY', 'y'], 'not a report of story STORY: y'],
  [['STORY', 'x1'], 'story STORY has to keep a report: name fewer items'],
])('story split %j is refused: %s', async (args, message) => {
  const story = await report('x1', QUAKE);
  const named = (text: string) => text.replaceAll('STORY', story);
  const { code, stderr } = await newsroom(feed.database.url, ['story', 'split', ...args.map(named)]);
  expect([code, stderr.trim()]).toEqual([1, named(message)]);
});

test('one source that reports again and again does not crowd the others out of a digest', async () => {
  const flood = 'Floods near Valencia in Spain left 11 dead.';
  const story = await report('agency', 'Floods near Valencia leave 11 dead', {
    summary: flood,
    source: 'Agency',
  });
  await reportAll(
    Array.from({ length: 25 }, (_, index) => ({
      id: `echo-${index}`,
      title: 'Floods near Valencia leave 99 dead',
      summary: 'Floods near Valencia in Spain left 99 dead.',
      source: 'Echo',
      hours: 1 + index / 60,
    })),
  );
  const { digest, reports } = await read(story);
  expect(reports).toHaveLength(26);
  expect(digest).toContain('This contradicts earlier reporting: Echo has “99 dead”, Agency had “11 dead”.');
});

test('reports of one source that name two events do not make them one', async () => {
  const quake = await report('q', QUAKE, { summary: 'The depth was 38 km; no tsunami warning was issued.' });
  const deal = await report('d', 'Northwind raises $420 million', {
    summary: 'Northwind plans a plant in Ohio.',
    hours: 1,
  });
  for (const id of ['bridge', 'again', 'and-again']) {
    await report(id, `${QUAKE}; Northwind raises $420 million`, {
      summary: 'The depth was 38 km; no tsunami warning was issued. Northwind plans a plant in Ohio.',
      source: 'Third Party',
      hours: 2,
    });
  }
  expect((await open(quake)).status).toBe(200);
  expect((await open(deal)).status).toBe(200);
});

test.each([
  [
    'Russian',
    'В Уфе сгорел склад шин на улице Менделеева',
    'Пожар на складе шин в Уфе: сгорел ангар на улице Менделеева',
  ],
  ['Vietnamese', 'Cháy chợ Đồng Xuân ở Hà Nội', 'Hà Nội: cháy lớn tại chợ Đồng Xuân'],
  ['Korean', '부산 해운대 호텔 화재로 투숙객 대피', '해운대 호텔서 화재…투숙객 긴급 대피'],
  ['Japanese', 'トヨタ、名古屋で新型プリウスを発表', '新型プリウスをトヨタが発表 名古屋で公開'],
])('reports in %s are one story, and another fire or firm is not', async (_, one, two) => {
  const story = await report('one', one);
  expect(await report('two', two, { hours: 1 })).toBe(story);
});

test('a report joins a story by its core, not by the one report that it resembles', async () => {
  const quake = await Promise.all(
    ['a', 'b', 'c'].map((id) => report(id, QUAKE, { summary: 'The depth was 38 km.' })),
  );
  const odd = 'Arica mayor Carla Ruiz opens the harbour museum after years of building';
  await report('odd', odd, { hours: 1 });
  await feed.db
    .updateTable('news.item')
    .set({ story: quake[0] ?? '' })
    .where('id', '=', 'odd')
    .execute();
  expect(await report('next', `${odd} work`, { hours: 2 })).not.toBe(quake[0]);
});

test('a round-up, a live blog and a text on three stories join nothing, and nothing joins them', async () => {
  const events = [
    { id: 'q', title: QUAKE, summary: 'The depth was 38 km; no tsunami warning was issued.' },
    { id: 'd', title: 'Northwind raises $420 million', summary: 'Halberd Capital values the robot maker.' },
    { id: 'f', title: 'Floods near Valencia leave 11 dead', summary: 'A bridge collapsed in Chiva.' },
  ];
  const stories = await reportAll(events);
  const summary = events.map((event) => `${event.title}. ${event.summary}`).join(' ');
  const titles = ['What the country talks about', `Morning briefing: ${QUAKE}`, `${QUAKE}: live updates`];
  const alone = await reportAll(titles.map((title, at) => ({ id: `r${at}`, title, summary, hours: 1 })));
  expect(new Set([...stories, ...alone]).size).toBe(6);
  expect(await report('late', titles[1] ?? '', { summary, hours: 2 })).not.toBe(alone[1]);
});

test('a column of a source is a story each day', async () => {
  const daily = (day: number) =>
    report(`d${day}`, `The Leeds diary of ${day} November`, { source: 'Leeds Post', hours: 24 * day });
  const stories: string[] = [];
  for (const day of [1, 2, 3, 4]) stories.push(await daily(day));
  expect(stories[3]).not.toBe(stories[2]);
  expect(stories[2]).not.toBe(stories[1]);
});

test('a story that has grown apart is split by its next report, and stays split', async () => {
  const flood = { title: 'Floods near Valencia leave 11 dead', summary: 'A bridge collapsed in Chiva.' };
  const [quake = ''] = await reportAll([1, 2, 3, 4].map((at) => ({ id: `q${at}`, title: QUAKE, hours: at })));
  const [floods = ''] = await reportAll([1, 2, 3].map((at) => ({ id: `f${at}`, ...flood, hours: at })));
  await feed.db.updateTable('news.item').set({ story: quake }).where('story', '=', floods).execute();
  expect(await report('q5', QUAKE, { hours: 5 })).toBe(quake);
  const { rows } = await feed.database.pool.query(
    "select story, string_agg(id, ' ' order by id) as ids from news.item group by story order by 2",
  );
  expect(rows.map(({ ids }) => ids)).toEqual(['f1 f2 f3', 'q1 q2 q3 q4 q5']);
  await until('the split is shown', async () => {
    const { storyline } = await read(quake);
    return storyline?.[0]?.publicId === rows[0].story;
  });
});
