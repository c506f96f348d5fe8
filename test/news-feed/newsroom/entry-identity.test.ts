import type { SourceSettings } from '@pressroom/news-feed/reading/source-settings';
import { editSource } from '@pressroom/news-feed/reading/sources';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RssEntry, rss } from '../../support/feed-host.ts';
import { type Desk, openDesk } from '../../support/polling.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clear());
afterAll(() => desk.close());

const HOME = 'https://source.example/';
const PAGE = 'https://source.example/today';

/** Items of each of the answers of a feed, one after the other. */
async function itemsAfter(
  answers: readonly (readonly RssEntry[])[],
  settings: SourceSettings = {},
): Promise<(string | null)[][]> {
  const id = await desk.add('/feed', settings);
  for (const [index, entries] of answers.entries()) {
    // Another title, so that an equal answer is read too.
    desk.host.set('/feed', { body: rss(entries, { title: `Answer ${index}` }) });
    await desk.poll(id);
  }
  return (await desk.items()).map(({ title, summary }) => (summary === null ? [title] : [title, summary]));
}

/** An entry whose id is shared by others, or which has none but its address. */
function news(day: string, { guid = 'news', link = PAGE, ...others }: Partial<RssEntry> = {}): RssEntry {
  return { guid, link, title: `News of ${day}`, ...others };
}

const withoutId = { guid: PAGE };
const atHome = { guid: HOME, link: HOME };

test.each<[string, RssEntry[][], string[]]>([
  ['comes alone, then beside another', [[news('a')], [news('b'), news('a')]], ['a', 'b']],
  [
    'comes alone, then beside one of another page',
    [[news('a')], [news('b', { link: `${PAGE}/b` }), news('a')]],
    ['a', 'b'],
  ],
  [
    'comes beside one of another page, then of its own',
    [
      [news('a'), news('b', { link: `${PAGE}/b` })],
      [news('c'), news('a'), news('b', { link: `${PAGE}/b` })],
    ],
    ['a', 'b', 'c'],
  ],
  [
    'comes beside another, then the next of them alone',
    [[news('a')], [news('b'), news('a')], [news('c')], [news('b')], [news('d'), news('c')]],
    ['a', 'b', 'c', 'd'],
  ],
])('an entry that %s under one id is one item', async (_, answers, days) => {
  expect(await itemsAfter(answers)).toEqual(days.map((day) => [`News of ${day}`]));
});

test.each<[string, RssEntry[][], string[]]>([
  ['the home page', [[news('a', atHome)], [news('b', atHome)], [news('a', atHome)]], ['a', 'b']],
  [
    'a page that has had several at once',
    [[news('b', withoutId), news('a', withoutId)], [news('c', withoutId)], [news('b', withoutId)]],
    ['a', 'b', 'c'],
  ],
])('entries without ids that replace each other on %s are items', async (_, answers, days) => {
  expect(await itemsAfter(answers)).toEqual(days.map((day) => [`News of ${day}`]));
});

test.each<[string, Partial<RssEntry>, Partial<RssEntry>]>([
  ['of a page of its own', withoutId, withoutId],
  ['of another spelling', withoutId, { guid: `${PAGE}?utm_source=x`, link: `${PAGE}?utm_source=x` }],
  [
    'with its text, on the home page',
    { ...atHome, description: 'Said.' },
    { ...atHome, description: 'Said.' },
  ],
])('another title %s is a correction', async (_, before, after) => {
  const [[title] = [], ...others] = await itemsAfter([[news('a', before)], [news('b', after)]]);
  expect([title, others]).toEqual(['News of b', []]);
});

test('an entry that has come beside another is followed still', async () => {
  const corrected = news('a', { description: 'Corrected.' });
  expect(await itemsAfter([[news('a')], [news('b'), news('a')], [news('b'), corrected]])).toEqual([
    ['News of a', 'Corrected.'],
    ['News of b'],
  ]);
});

const DATES = ['Thu, 01 Oct 2026 00:00:00 GMT', 'Fri, 02 Oct 2026 00:00:00 GMT'] as const;
const first = { guid: '1', link: PAGE, pubDate: DATES[0] };

test.each<[NonNullable<SourceSettings['identity']>, Partial<RssEntry>, string[]]>([
  ['guid', { link: `${PAGE}/b`, pubDate: DATES[1] }, ['b']],
  ['link', { guid: '2', pubDate: DATES[1] }, ['b']],
  ['link', { guid: '2', link: `${PAGE}?utm_source=x` }, ['b']],
  ['both', { link: `${PAGE}/b` }, ['a', 'b']],
  ['both', {}, ['b']],
  ['content', {}, ['a', 'b']],
])('by %s, an entry with %j is another one or not, as an editor says', async (identity, more, days) => {
  const answers = [[news('a', first)], [news('b', { ...first, ...more })]];
  expect(await itemsAfter(answers, { identity })).toEqual(days.map((day) => [`News of ${day}`]));
});

test('another identity makes nothing new of what is known, and takes nothing away', async () => {
  const entries = [
    news('a', { guid: '1', link: `${PAGE}/a` }),
    news('b', { guid: `${PAGE}/b`, link: `${PAGE}/b` }),
    ...['c', 'd'].map((day) => news(day, { link: `${PAGE}/${day}`, pubDate: DATES[0] })),
    ...['e', 'f'].map((day) => news(day, { guid: day, description: `About ${day}.` })),
  ];
  const expected = await itemsAfter([entries]);
  expect(expected).toHaveLength(6);
  const source = (await desk.db.selectFrom('news.source').select('id').executeTakeFirstOrThrow()).id;
  const chain = [
    'guid',
    'link',
    'both',
    'content',
    'auto',
    'content',
    'guid',
    'auto',
    'both',
    'link',
    'auto',
  ] as const;
  for (const [index, identity] of chain.entries()) {
    await editSource(desk.db, source, { identity }, desk.now.value);
    desk.host.set('/feed', { body: rss(entries, { title: `After ${index}` }) });
    await desk.poll(source);
    const items = (await desk.items()).map(({ title, summary }) =>
      summary === null ? [title] : [title, summary],
    );
    expect(items, `${index}: ${identity}`).toEqual(expected);
  }
});

test('ids that are new in each answer make no new items where the address counts, nor afterwards', async () => {
  const answer = (turn: number) =>
    ['a', 'b'].map((day) => news(day, { guid: `${turn}-${day}`, link: `${PAGE}/${day}` }));
  const source = await desk.add('/feed', { identity: 'link' });
  for (const [turn, identity] of (['link', 'content', 'both', 'guid', 'auto'] as const).entries()) {
    await editSource(desk.db, source, { identity }, desk.now.value);
    desk.host.set('/feed', { body: rss(answer(turn)) });
    await desk.poll(source);
    expect((await desk.items()).map(({ title }) => title)).toEqual(['News of a', 'News of b']);
  }
});
