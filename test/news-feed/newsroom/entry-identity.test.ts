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
async function itemsAfter(answers: readonly (readonly RssEntry[])[]): Promise<(string | null)[][]> {
  const id = await desk.add('/feed');
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
