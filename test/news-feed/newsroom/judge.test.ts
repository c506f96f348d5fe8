import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '@pressroom/common/start/config';
import { readVocabulary, vocabularyOf, vocabularySettings } from '@pressroom/news-feed/config';
import { keepJudgements, openJudge, ruleJudge } from '@pressroom/news-feed/grouping/judging';
import { type AssignableItem, RulesAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { addSource } from '@pressroom/news-feed/reading/sources';
import { editorialSettings } from '@pressroom/news-feed/work/worker-config';
import { readLexicon, readRules } from '@pressroom/stories';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertRows, itemRow, type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { newsroom } from '../../support/newsroom.ts';
import { NOON, submission } from '../../support/submission.ts';
import { temporaryHome } from '../../support/temporary-home.ts';

const LONG = 'The company says so in a text that is long enough to be worth a reader’s time. '.repeat(3);

let feed: NewsFeedFixture;
const search = new StorySearch(readLexicon());

beforeAll(async () => {
  feed = await newsFeedFixture();
});

afterAll(() => feed.close());

beforeEach(async () => {
  await feed.database.pool.query('truncate news.item, news.story, news.editorial_slot, news.source cascade');
});

const TECHNOLOGY = { NEWS_PACKS: ['technology'] };

function editor(changes: Partial<ReturnType<typeof readRules>> = {}) {
  const rules = { ...readRules(TECHNOLOGY), ...changes };
  return ruleJudge({ db: feed.db, rules: () => rules, search, vocabulary: readVocabulary({}) });
}

/** The editor of a site with these settings. */
function editorOf(settings: Record<string, string>) {
  const config = readConfig({ ...editorialSettings, ...vocabularySettings }, settings);
  const vocabulary = vocabularyOf(config);
  return openJudge(config, { db: feed.db, vocabulary, clock: () => NOON, search });
}

/** An item as it is given a story. */
function assignable(id: string, title: string): AssignableItem {
  const about = { originalTitle: null, summary: null, sourceName: `Source of ${id}`, category: null };
  return { id, title, ...about, publishedAt: NOON, discoveredAt: NOON };
}

async function addSourceAt(path: string, state: 'active' | 'paused' = 'active'): Promise<void> {
  const { id } = await addSource(feed.db, `https://source.example/${path}`, {}, NOON);
  await feed.db.updateTable('news.source').set({ state }).where('id', '=', id).execute();
}

test.each([
  ['Alder raises $150 million at a valuation of $1.2 billion', 'finance', []],
  ['腾讯公布三季度财报：净利润增长', 'finance', ['domestic']],
  ['欧盟通过人工智能监管条例', 'policy-standard', ['overseas']],
  ['US and China agree on tariffs for chips', 'policy-standard', ['domestic', 'overseas']],
  ['A new paper by researchers in Basel', 'research', []],
  ['Helix wins patent on earbuds', 'patent', []],
  ['Laundry in autumn', null, []],
])('%s: %s, %j', async (title, category, directions) => {
  expect(await editor().judge(submission(title))).toMatchObject({ category, directions });
});

test('the category and directions of the source come first', async () => {
  const judgement = await editor().judge(
    submission('Helix wins patent in China', { source: { category: 'insight', directions: ['overseas'] } }),
  );
  expect(judgement).toMatchObject({ category: 'insight', directions: ['overseas'] });
});

test('the same submission gets the same judgement, whose terms add up to its score', async () => {
  const given = submission('Ember 8 releases open weights', {
    summary: LONG,
    source: { weight: 2, firstParty: true },
  });
  const first = await editor().judge(given);
  expect(await editor().judge(given)).toEqual(first);
  const sum = first.terms.reduce((total, { points }) => total + points, 0);
  expect(sum).toBeCloseTo(first.score ?? Number.NaN, 6);
  expect(first.terms.map(({ name }) => name)).toEqual([
    'source',
    'firstParty',
    'freshness',
    'length',
    'signals',
  ]);
});

test('the score stays within 0 and 100', async () => {
  const spam = await editor().judge(submission('Sponsored: discount code', { source: { weight: 0 } }));
  expect(spam.score).toBe(0);
  expect(spam.terms.reduce((total, { points }) => total + points, 0)).toBeCloseTo(0, 6);
});

test('another source on the same event raises the score', async () => {
  const title = 'Magnitude 6.4 earthquake strikes off Arica, Chile';
  const before = await editor().judge(submission(title));
  const row = itemRow('other', { id: 'other', title, source_name: 'Other', published_at: NOON });
  await feed.db.transaction().execute(async (tx) => {
    const assigner = new RulesAssigner(search);
    await assigner.assign(tx, [assignable('other', title)], NOON, insertRows(tx, [row]));
  });
  const after = await editor().judge(submission(title));
  expect((after.score ?? 0) - (before.score ?? 0)).toBe(12);
  expect(after.terms).toContainEqual({ name: 'coverage', points: 12, note: '1 other sources', value: 1 });
});

test('an article joins a story that another worker has begun since it was judged', async () => {
  const title = 'Magnitude 6.4 earthquake strikes off Arica, Chile';
  await editor().judge(submission(title));
  const store = (id: string, assigner: RulesAssigner) =>
    feed.db.transaction().execute(async (tx) => {
      const row = itemRow(id, { id, title, source_name: `Source of ${id}`, published_at: NOON });
      await assigner.assign(tx, [assignable(id, title)], NOON, insertRows(tx, [row]));
    });
  await store('theirs', new RulesAssigner(new StorySearch(readLexicon())));
  await store('own', new RulesAssigner(search));
  const items = await feed.db.selectFrom('news.item').select('story').execute();
  expect(items).toHaveLength(2);
  expect(new Set(items.map(({ story }) => story)).size).toBe(1);
});

test.each([
  ['auto' as const, 54, true],
  ['auto' as const, 56, false],
  ['all' as const, 100, true],
  ['none' as const, 0, false],
  [{ minScore: 55 }, 100, true],
  [{ minScore: 56 }, 0, false],
])('a source with the rule %j and a threshold of %d: selected is %s', async (select, threshold, selected) => {
  const given = submission('Plain words', { summary: LONG, source: { select } });
  expect(await editor({ threshold }).judge(given)).toMatchObject({ score: 55, selected });
});

test('a day has its quota, however many workers ask, and the next day in Shanghai another', async () => {
  const judges = [editor({ threshold: 0, quota: 3 }), editor({ threshold: 0, quota: 3 })];
  const all = Array.from({ length: 10 }, (_, index) => submission(`Item ${index}`));
  const judged = await Promise.all(all.map((one, index) => judges[index % 2]?.judge(one)));
  expect(judged.filter((judgement) => judgement?.selected)).toHaveLength(3);
  const again = await Promise.all(all.map((one) => judges[0]?.judge(one)));
  expect(again.map((judgement) => judgement?.selected)).toEqual(
    judged.map((judgement) => judgement?.selected),
  );
  const midnight = new Date('2026-11-20T16:00:00Z');
  const tomorrow = await judges[0]?.judge(submission('Item tomorrow', { discoveredAt: midnight }));
  expect(tomorrow?.selected).toBe(true);
});

test('no source takes more than a quarter of the quota, unless there are fewer than four', async () => {
  const judge = (id: number, title: string) =>
    editor({ threshold: 0, quota: 8 }).judge(submission(title, { source: { id } }));
  const flood = async (day: string) => {
    const all = Array.from({ length: 10 }, (_, index) =>
      editor({ threshold: 0, quota: 8 }).judge(
        submission(`Flood ${index} of ${day}`, { discoveredAt: new Date(day) }),
      ),
    );
    return (await Promise.all(all)).filter(({ selected }) => selected).length;
  };
  expect(await flood('2026-11-18T04:00:00Z')).toBe(8);
  for (const path of ['a', 'b']) await addSourceAt(path);
  await addSourceAt('c', 'paused');
  expect(await flood('2026-11-19T04:00:00Z')).toBe(4);
  for (const path of ['d', 'e', 'f']) await addSourceAt(path);
  expect(await flood(NOON.toISOString())).toBe(2);
  const others = await Promise.all([2, 3, 4, 5].map((id) => judge(id, `Of source ${id}`)));
  expect(others.map(({ selected }) => selected)).toEqual([true, true, true, true]);
});

test('explain prints what the score of an item consists of', async () => {
  const judgement = await editor().judge(submission('Ember 8 releases open weights', { summary: LONG }));
  await feed.db.transaction().execute(async (tx) => {
    const { score, selected } = judgement;
    await tx
      .insertInto('news.item')
      .values(itemRow('n-1', { id: 'n-1', score, selected }))
      .execute();
    await keepJudgements(tx, [{ itemId: 'n-1', judgement }], NOON);
    await keepJudgements(tx, [{ itemId: 'n-1', judgement }], NOON);
  });
  const { stdout } = await newsroom(feed.database.url, ['explain', 'n-1']);
  expect(stdout).toContain('Judged at 2026-11-20T04:00:00.000Z: score 63, selected');
  expect(stdout).toContain('    30.0  source (weight 1)');
  expect(stdout).toContain('     8.0  signals (release 8)');
});

test('explain says that an imported item was not judged, and which item it does not know', async () => {
  await feed.db
    .insertInto('news.item')
    .values(itemRow('n-2', { id: 'n-2' }))
    .execute();
  expect((await newsroom(feed.database.url, ['explain', 'n-2'])).stdout).toContain('No editor has judged it');
  expect(await newsroom(feed.database.url, ['explain', 'n-3'])).toMatchObject({
    code: 1,
    stderr: 'item n-3 does not exist\n',
  });
});

const { signal } = new AbortController();

test.each([
  ['technology', 'de', 'Ein Patent für Kopfhörer', 'patent'],
  ['technology', 'pt', 'Patente de auscultadores', 'patent'],
  // In German it is a verb, and no factory.
  ['technology', 'de', 'Die Stadt plant für den Winter', null],
  ['general', 'en', 'Striker scores two goals as the season opens', 'sport'],
  ['general', 'zh-CN', '女排决赛夺冠', 'sport'],
  ['general', 'es-MX', 'El banco central sube los tipos de interés', 'economy'],
  ['general', 'fr', 'Le Sénat adopte la loi avant les élections', 'politics'],
  ['general', 'de', 'Einbrecher nach Überfall festgenommen', 'justice'],
  ['general', 'ja', '気象庁が台風の進路を予想', 'environment'],
  ['local', 'pt-PT', 'Elétricos parados: trânsito cortado na Baixa', 'transport'],
  ['local', 'pt', 'Câmara Municipal aprova orçamento', 'city'],
  ['business', 'en', 'Central bank leaves interest rates as they are', 'banking'],
  ['sport', 'ja', '甲子園で完封した投手', 'baseball'],
  ['science', 'es', 'Descubren un fósil de dinosaurio', 'past'],
  ['local,sport', 'pt', 'Guarda-redes do Benfica defende penálti', 'football'],
])('the pack %s in %s: %s, %s', async (NEWS_PACKS, language, title, category) => {
  const judged = await editorOf({ NEWS_PACKS }).judge(submission(title, { language }), signal);
  expect(judged.category).toBe(category);
});

test('a text of no known language goes by the words of the site’s', async () => {
  const title = 'Patente de auscultadores';
  const site = editorOf({ SITE_LANGUAGE: 'pt-PT' });
  expect((await site.judge(submission(title), signal)).category).toBe('patent');
  expect((await editorOf({}).judge(submission('Ein Gesetz für Netze'), signal)).category).toBeNull();
});

test('a site’s own pack goes over those before it, in any language, and judges alone where it is alone', async () => {
  const pack = join(await temporaryHome(), 'lisboa.yaml');
  await writeFile(
    pack,
    `threshold: 10
categories:
  city: { label: { pt: Câmara }, terms: { pt: freguesia*=0, it: comune } }
  fado: { terms: { pt: 'fado=4, casa de fados' } }
directions:
  domestic: { terms: { pt: lisboa } }
`,
  );
  const settings = { NEWS_PACKS: `local, ${pack}`, SITE_LANGUAGE: 'pt' };
  const { categories, labels } = readVocabulary(settings);
  expect([categories[0], categories.at(-1)]).toEqual(['city', 'fado']);
  expect(['city', 'transport', 'fado'].map((name) => labels.category.get(name))).toEqual([
    'Câmara',
    'Transportes',
    'Fado',
  ]);
  const judge = (title: string, language: string, others = {}) =>
    editorOf({ ...settings, ...others }).judge(
      submission(title, { language, source: { weight: 0.1 } }),
      signal,
    );
  expect(await judge('O fado volta a Lisboa', 'pt')).toMatchObject({
    category: 'fado',
    directions: ['domestic'],
    selected: true,
  });
  expect((await judge('A freguesia', 'pt')).category).toBeNull();
  expect((await judge('Il comune', 'it')).category).toBe('city');
  const alone = join(await temporaryHome(), 'alone.yaml');
  await writeFile(alone, 'threshold: 90\nquota: 1\ncategories: {fado: {terms: {any: comune}}}\n');
  expect(await judge('Il comune', 'de', { NEWS_PACKS: alone })).toMatchObject({
    category: 'fado',
    selected: false,
  });
});

test('a pack that is not one is refused with what to change', async () => {
  const pack = join(await temporaryHome(), 'lisboa.yaml');
  expect(() => readVocabulary({ NEWS_PACKS: pack })).toThrow(`the file ${pack} does not exist`);
  expect(() => readVocabulary({ NEWS_PACKS: 'locals' })).toThrow('NEWS_PACKS is "locals", expected packs (');
  for (const [text, reason] of [
    ['categories: {City: {}}', 'must be a name of a–z'],
    ['categories: {city: {terms: {pt-PT: praça}}}', 'must be a language'],
    ['use: {lisbon: [city]}', 'lisbon'],
    ['use: {local: [town]}', 'the pack local has no category town'],
  ] as const) {
    await writeFile(pack, text);
    expect(() => readVocabulary({ NEWS_PACKS: pack }), text).toThrow(reason);
  }
});
