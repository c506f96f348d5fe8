import { readConfig } from '@pressroom/common/start/config';
import { readVocabulary, vocabularySettings } from '@pressroom/news-feed/config';
import {
  embeddedTitles,
  embeddingUsage,
  openJudge,
  openTitleVectors,
} from '@pressroom/news-feed/grouping/judging';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { editorialSettings, embeddingSettings } from '@pressroom/news-feed/work/worker-config';
import { readLexicon, type TitleVectors } from '@pressroom/stories';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LabelledReport } from '../../../bench/stories/labelled-set.ts';
import { assignSet } from '../../../bench/stories/quality.ts';
import {
  type EmbeddingBehaviour,
  type EmbeddingStub,
  embeddingStub,
  embeddings,
} from '../../support/embedding-endpoint.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { NOON, submission } from '../../support/submission.ts';

const { calendar } = readVocabulary({});
const KEY = 'k-embeddings-1';

let feed: NewsFeedFixture;
let stub: EmbeddingStub;
let now: Date;
let logged: unknown[];

beforeAll(async () => {
  feed = await newsFeedFixture();
});

afterAll(() => feed.close());

beforeEach(async () => {
  now = NOON;
  logged = [];
  await feed.database.pool.query('truncate news.item, news.story, news.editorial_share cascade');
  stub = await embeddingStub();
  stub.behave(embeddings(vectorOf));
  return () => stub.close();
});

/** Headlines of which each has a meaning of its own. */
const OTHERS = Array.from({ length: 24 }, (_, index) => `Uno${index} dos${index} tres${index}`);

/** Two headlines on one event that hardly a word says, and two on two events that are said alike. */
const MET = [
  'Ministers agree on the budget at dawn after eleven hours of talks behind closed doors in Lisbon',
  'Taxes rise and hospitals get money: what stands in the budget that ministers signed early this morning',
];
const UNMET = [
  'Two hurt as a tram leaves its rails on the hill above Porto in heavy rain',
  'Tram hits a parked van near the market of Braga, and four are hurt in rain',
];

function vectorOf(title: string): number[] {
  const place = MET.includes(title) ? 0 : 1 + [...UNMET, ...OTHERS].indexOf(title);
  return Array.from({ length: 32 }, (_, index) => (index === place ? 1 : 0));
}

function parts() {
  const log = { warn: (...said: unknown[]) => void logged.push(said) };
  return { db: feed.db, calendar, clock: () => now, log };
}

function titleVectors({ url = stub.url, timeoutMs = 5000, dailyTokens = 10_000 } = {}): TitleVectors {
  return embeddedTitles(parts(), { url, key: KEY, model: 'test', timeoutMs }, dailyTokens);
}

/** The stories of headlines that come one after the other, as sets of titles. */
async function storiesOf(titles: readonly string[], vectors?: TitleVectors): Promise<string[][]> {
  const reports = titles.map((title, index): LabelledReport => {
    const publishedAt = new Date(NOON.getTime() + index * 60_000);
    return {
      ...{ id: `r-${index}`, event: '', set: '', title, originalTitle: null, summary: null, category: null },
      ...{ sourceName: `Source ${index}`, publishedAt, discoveredAt: publishedAt },
    };
  });
  const set = { name: '', about: '', half: 'tuning', reports } as const;
  const found = await assignSet(feed.db, set, 'by time', vectors);
  const stories = Map.groupBy(reports, ({ id }) => found.get(id)).values();
  return Array.from(stories, (some) => some.map(({ title }) => title)).filter(({ length }) => length > 1);
}

test('headlines meet and part by what they mean, where a model says it', async () => {
  const headlines = [...OTHERS.slice(0, 21), ...MET, ...UNMET];

  expect(await storiesOf(headlines)).toEqual([UNMET]);
  expect(await storiesOf(headlines, titleVectors())).toEqual([MET]);
});

test('without the settings nothing is asked and nothing kept', async () => {
  expect(openTitleVectors(readConfig(embeddingSettings, {}), parts())).toBeUndefined();
  await storiesOf(MET);

  const { rows } = await feed.database.pool.query("select from news.report_terms where report ? 'title'");
  expect(rows).toHaveLength(0);
});

test('an editor has the titles of a batch embedded in one request, and each once', async () => {
  const settings = {
    NEWS_EMBEDDINGS_URL: stub.url,
    NEWS_EMBEDDINGS_MODEL: 'm',
    NEWS_EMBEDDINGS_API_KEY: KEY,
  };
  const titles = openTitleVectors(readConfig(embeddingSettings, settings), parts());
  const editor = openJudge(readConfig({ ...editorialSettings, ...vocabularySettings }, {}), {
    ...{ db: feed.db, vocabulary: readVocabulary({}), clock: () => now },
    search: new StorySearch(readLexicon(), titles),
  });
  const judge = (title: string) => editor.judge(submission(title), new AbortController().signal);
  await Promise.all(MET.map(judge));
  await Promise.all(MET.map(judge));

  expect(stub.requests).toEqual([
    { path: '/v1/embeddings', authorization: `Bearer ${KEY}`, model: 'm', input: MET },
  ]);
});

/** Answers with the same body whatever it is asked. */
function body(text: string): EmbeddingBehaviour {
  return (_, response) => void response.end(text);
}

test.each<[string, EmbeddingBehaviour]>([
  ['fails', (_, response) => void response.writeHead(500).end()],
  ['does not answer', () => undefined],
  ['sends elsewhere', (_, response) => void response.writeHead(307, { location: `${stub.url}/x` }).end()],
  ['answers no JSON', body('{"data": [NaN]}')],
  ['answers too few', body('{"data": [{"index": 0, "embedding": [1, 0]}]}')],
  [
    'answers one twice',
    ({ input }, response) => {
      const data = input.map(() => ({ index: 0, embedding: [1, 0] }));
      response.end(JSON.stringify({ data }));
    },
  ],
  ['answers two lengths', embeddings((title) => (title === MET[0] ? [1, 0] : [1, 0, 0]))],
  ['answers zeros', embeddings(() => [0, 0])],
  ['answers no finite number', body('{"data": [{"index": 0, "embedding": [1e999, 0]}]}')],
  ['answers too long vectors', embeddings(() => Array.from({ length: 5000 }, () => 1))],
  ['answers too much', body(' '.repeat(5_000_000))],
])(
  'an endpoint that %s leaves stories as they are without, and its key out of the log',
  async (_, behaviour) => {
    stub.behave(behaviour);

    expect(await storiesOf([...MET, ...UNMET], titleVectors({ timeoutMs: 200 }))).toEqual([UNMET]);
    expect(stub.requests).toHaveLength(1);
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain(KEY);
  },
);

test('an endpoint that fails three times in a row is left alone for a minute', async () => {
  stub.behave((_, response) => void response.writeHead(500).end());
  const titles = titleVectors();
  for (const title of OTHERS.slice(0, 5)) await titles.read([title]);
  expect(stub.requests).toHaveLength(3);
  expect(logged).toHaveLength(1);

  now = new Date(NOON.getTime() + 61_000);
  stub.behave(embeddings(vectorOf));
  await titles.read(OTHERS);
  expect(titles.of(OTHERS[0] ?? '')).toMatchObject({ model: 'test' });
});

test('workers share a budget of tokens, which counts what was used', async () => {
  await titleVectors({ dailyTokens: 100 }).read([OTHERS[0] ?? '']);
  expect(await embeddingUsage(feed.db, calendar.date(now))).toEqual({ requests: 1, tokens: 5 });

  await titleVectors({ dailyTokens: 15 }).read([OTHERS[1] ?? '']);
  expect(stub.requests).toHaveLength(1);
  expect(logged).toEqual([[{ reason: 'the budget of the day is spent' }, 'titles_not_embedded']]);
  await titleVectors({ dailyTokens: 100 }).read([OTHERS[1] ?? '']);
  expect(await embeddingUsage(feed.db, calendar.date(now))).toEqual({ requests: 2, tokens: 10 });
});

test('vectors of another model, or of another length, are not compared', async () => {
  const titles = titleVectors();
  await titles.read(OTHERS);
  stub.behave(embeddings((title) => vectorOf(title).slice(0, 16)));
  await titles.read(['Another model behind the same name']);
  expect(titles.of(OTHERS[0] ?? '')).toBeUndefined();
});

test('the address of an endpoint has no password in it, which a log would show', () => {
  const read = () =>
    readConfig(embeddingSettings, { NEWS_EMBEDDINGS_URL: 'https://user:p@models.example/v1' });
  expect(read).toThrow(/NEWS_EMBEDDINGS_URL/);
});
