import type { ServerResponse } from 'node:http';
import { readConfig } from '@pressroom/common/start/config';
import { readVocabulary, vocabularySettings } from '@pressroom/news-feed/config';
import { openJudge } from '@pressroom/news-feed/grouping/judging';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { addSource } from '@pressroom/news-feed/reading/sources';
import { editorialSettings } from '@pressroom/news-feed/work/worker-config';
import type { Judgement, Submission } from '@pressroom/stories';
import { readLexicon } from '@pressroom/stories';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ChatStub, chatStub, completion } from '../../support/chat-endpoint.ts';
import { INJECTIONS } from '../../support/injections.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { NOON, submission } from '../../support/submission.ts';
import { until } from '../../support/until.ts';

const search = new StorySearch(readLexicon());
let feed: NewsFeedFixture;
let stub: ChatStub;
let now: Date;

beforeAll(async () => {
  feed = await newsFeedFixture();
});

afterAll(() => feed.close());

beforeEach(async () => {
  now = NOON;
  await feed.database.pool.query(
    'truncate news.editorial_slot, news.editorial_budget, news.editorial_share, news.editorial_answer, news.source cascade',
  );
  stub = await chatStub();
  return () => stub.close();
});

function editor(settings: Record<string, string> = {}) {
  const env = { EDITORIAL_URL: stub.url, EDITORIAL_MODEL: 'test', EDITORIAL_KEY: 'k-1', ...settings };
  return openJudge(readConfig({ ...editorialSettings, ...vocabularySettings }, env), {
    db: feed.db,
    vocabulary: readVocabulary({}),
    clock: () => now,
    search,
  });
}

/** Adds sources that are polled. */
async function addSources(paths: readonly string[]): Promise<void> {
  for (const path of paths) await addSource(feed.db, `https://source.example${path}`, {}, NOON);
}

function judge(given: Submission, settings?: Record<string, string>): Promise<Judgement> {
  return editor(settings).judge(given, new AbortController().signal);
}

/** Judges by the rules alone. */
function judgeByRules(given: Submission): Promise<Judgement> {
  const env = { db: feed.db, vocabulary: readVocabulary({}), clock: () => now, search };
  return openJudge(readConfig({ ...editorialSettings, ...vocabularySettings }, {}), env).judge(
    given,
    new AbortController().signal,
  );
}

const GIVEN = submission('Ember 8 released with open weights', {
  summary: 'Studio Ember says that it is twice as fast.',
});
const GOOD = {
  title: 'Ember 8 开放权重',
  summary: 'Studio Ember 称速度是上一代的两倍。',
  category: 'technology',
  score: 70,
  reason: '开放权重的新模型。',
};

/** Why the model had no say, from the judgement's terms. */
function modelNote({ terms }: Judgement): string | undefined {
  return terms.find(({ name }) => name === 'model')?.note;
}

test('a good answer becomes title, summary, category, score and reason', async () => {
  stub.behave(completion(JSON.stringify(GOOD)));
  const judgement = await judge(GIVEN);
  const { title, summary, category, reason } = GOOD;
  expect(judgement).toMatchObject({ title, summary, category, selected: true, reason, score: 70 });
  expect(judgement.terms.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(70, 6);
  expect(stub.requests[0]?.authorization).toBe('Bearer k-1');
});

test.each([
  [{}, 'Simplified Chinese'],
  [{ SITE_LANGUAGE: 'pt-BR' }, 'Brazilian Portuguese'],
])('of a site with %j, titles and summaries are in %s', async (settings, language) => {
  stub.behave(completion(JSON.stringify(GOOD)));
  await judge(GIVEN, settings);
  expect(JSON.stringify(stub.requests[0])).toContain(`the title in ${language}`);
});

/** Endpoints that refuse what others want, as they say it, and what they are then asked without. */
const DIALECTS: readonly (readonly [string, (parameters: Record<string, unknown>) => unknown, number])[] = [
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ({ max_tokens }) => max_tokens,
    400,
  ],
  [
    "Unsupported value: 'temperature' does not support 0 with this model.",
    ({ temperature }) => temperature !== undefined,
    400,
  ],
  [
    "response_format type 'json_schema' is not supported",
    ({ response_format }) => JSON.stringify(response_format ?? '').includes('json_schema'),
    400,
  ],
  ['body.response_format: extra inputs are not permitted', ({ response_format }) => response_format, 422],
  ['Bad Request', ({ response_format }) => response_format, 400],
];

test.each(DIALECTS)(
  'an endpoint that says “%s” is asked without it, from then on',
  async (said, isUnknown, status) => {
    stub.behave((request, response) => {
      if (!isUnknown(request.parameters)) completion(JSON.stringify(GOOD))(request, response);
      else response.writeHead(status).end(JSON.stringify({ error: { message: said } }));
    });
    const one = editor();
    expect(await one.judge(GIVEN, new AbortController().signal)).toMatchObject({ title: GOOD.title });
    const asked = stub.requests.length;
    await one.judge(submission('Another one', { summary: GIVEN.summary }), new AbortController().signal);
    expect(stub.requests).toHaveLength(asked + 1);
  },
);

test('an endpoint without system messages gets the instruction with the article', async () => {
  stub.behave((request, response) => {
    if (request.instruction === request.data) completion(JSON.stringify(GOOD))(request, response);
    else response.writeHead(400).end('System role not supported');
  });
  expect(await judge(GIVEN)).toMatchObject({ title: GOOD.title });
});

test('what an endpoint says is kept without the key that it repeats', async () => {
  stub.behave((_, response) => void response.writeHead(401).end('Incorrect API key provided: k-1.'));
  expect(modelNote(await judge(GIVEN))).toContain('401: Incorrect API key provided: ….');
});

test('an endpoint that refuses everything is given up, with what it says', async () => {
  stub.behave((_, response) => void response.writeHead(400).end('{"message":"model test does not exist"}'));
  expect(modelNote(await judge(GIVEN))).toContain('400: {"message":"model test does not exist"}');
});

test.each([
  ['in a fence', `Here it is:\n\`\`\`json\n${JSON.stringify(GOOD)}\n\`\`\`\nDone.`],
  ['behind a thought', `<think>\nIs {"title": "this"} it?\n</think>\n${JSON.stringify(GOOD)}`],
  ['between sentences', `Sure: ${JSON.stringify(GOOD)} I hope that helps.`],
  ['with a line break', JSON.stringify({ ...GOOD, title: GOOD.title.replace(' ', '\n') })],
])('an answer %s is one', async (_, content) => {
  stub.behave(completion(content));
  expect(await judge(GIVEN)).toMatchObject({ title: GOOD.title, score: 70 });
});

/** A body of an answer. */
const body = (said: unknown) => (_: unknown, response: ServerResponse) =>
  void response.end(typeof said === 'string' ? said : JSON.stringify(said));
const message = (said: object) => body({ choices: [{ message: said }] });

test.each([
  ['in parts', message({ content: [{ type: 'text', text: JSON.stringify(GOOD) }] })],
  ['in parts of text alone', message({ content: [JSON.stringify(GOOD)] })],
  ['as an object', message({ content: GOOD })],
  ['as a list of one', message({ content: JSON.stringify([GOOD]) })],
  [
    'as the call of a tool',
    message({
      content: null,
      tool_calls: [{ type: 'function', function: { arguments: JSON.stringify(GOOD) } }],
    }),
  ],
  [
    'beside its reasoning',
    message({ reasoning_content: 'Hm.', content: JSON.stringify(GOOD), refusal: null }),
  ],
  [
    'with a cost that is none',
    body({ choices: [{ message: { content: JSON.stringify(GOOD) } }], usage: { total_tokens: null } }),
  ],
  [
    'behind a byte order mark',
    body(`\uFEFF${JSON.stringify({ choices: [{ message: { content: GOOD } }] })}`),
  ],
  [
    'as a stream',
    body(
      `: wait\n\n${[...JSON.stringify(GOOD)]
        .map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
        .join('')}data: {"choices":[],"usage":{"total_tokens":300}}\n\ndata: [DONE]\n\n`,
    ),
  ],
])('an answer that comes %s is one', async (_, behaviour) => {
  stub.behave(behaviour);
  expect(await judge(GIVEN)).toMatchObject({ title: GOOD.title, score: 70 });
});

test.each([
  ['an error with 200', body({ error: { message: 'quota exceeded', code: 429 } }), 'quota exceeded'],
  ['an error as text', body({ error: 'model not loaded' }), 'model not loaded'],
  ['an error without a code', body({ error: { message: 'out of memory' } }), 'out of memory'],
  ['a refusal', message({ content: null, refusal: 'I cannot help with that.' }), 'I cannot help with that.'],
  ['no choices', body({ choices: [] }), 'no message of a model'],
  ['no choice at all', body({ id: 'x' }), 'no message of a model'],
  ['reasoning alone', message({ content: '', reasoning_content: 'Hm.' }), 'not JSON'],
])('%s leaves the judgement to the rules, with the reason', async (_, behaviour, reason) => {
  stub.behave(behaviour);
  expect(modelNote(await judge(GIVEN))).toContain(reason);
});

test('refusals of one source do not keep the model from the others', async () => {
  await addSources(['/one', '/two']);
  const one = editor();
  const ask = (id: number, title: string) => {
    const given = submission(title);
    return one.judge({ ...given, source: { ...given.source, id } }, new AbortController().signal);
  };
  stub.behave(({ data }, response) => {
    if (data.includes('Filtered')) response.writeHead(400).end('{"error":{"code":"content_filter"}}');
    else completion(JSON.stringify({ ...GOOD, title: '标题', summary: null }))({} as never, response);
  });
  for (const title of ['Filtered 1', 'Filtered 2', 'Filtered 3', 'Filtered 4']) {
    expect(modelNote(await ask(1, title))).toContain('content_filter');
  }
  expect((await ask(2, 'Plain')).title).toBe('标题');
});

test('the same article is asked about once', async () => {
  stub.behave(completion(JSON.stringify(GOOD)));
  const first = await judge(GIVEN);
  expect(await judge(GIVEN)).toEqual(first);
  expect(stub.requests).toHaveLength(1);
});

test.each([
  ['not JSON', 'certainly! here is the JSON'],
  ['a category outside the list', JSON.stringify({ ...GOOD, category: 'gossip' })],
  ['a member too many', JSON.stringify({ ...GOOD, selected: true })],
  ['a member too few', JSON.stringify({ ...GOOD, score: undefined })],
  ['a score over 100', JSON.stringify({ ...GOOD, score: 1000 })],
  ['an empty title', JSON.stringify({ ...GOOD, title: ' ' })],
  ['four sentences', JSON.stringify({ ...GOOD, summary: '一。二。三。四。' })],
  ['a number that the article does not have', JSON.stringify({ ...GOOD, summary: '它有 700 亿参数。' })],
  ['nothing', ''],
])('an answer with %s leaves the judgement to the rules', async (_, content) => {
  stub.behave(completion(content));
  const { terms, ...judgement } = await judge(GIVEN);
  const { terms: byRules, ...expected } = await judgeByRules(GIVEN);
  expect(judgement).toEqual(expected);
  expect(terms.slice(0, -1)).toEqual(byRules);
});

test('an endpoint that does not answer in time leaves the judgement to the rules', async () => {
  stub.behave(() => undefined);
  expect(modelNote(await judge(GIVEN, { EDITORIAL_TIMEOUT_MS: '100' }))).toContain('no usable answer');
});

test('an endpoint that is not there leaves the judgement to the rules', async () => {
  const judgement = await judge(GIVEN, { EDITORIAL_URL: 'http://127.0.0.1:9/v1' });
  expect(modelNote(judgement)).toContain('no usable answer');
});

test('an answer without an end is not read to its end', async () => {
  stub.behave((_, response) => {
    const chunk = Buffer.alloc(65_536, 32);
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', write);
    write();
  });
  expect(modelNote(await judge(GIVEN))).toContain('too long');
});

test('a redirect is not followed, so the key stays where it belongs', async () => {
  const other = await chatStub();
  stub.behave(
    (_, response) => void response.writeHead(307, { location: `${other.url}/chat/completions` }).end(),
  );
  expect(modelNote(await judge(GIVEN))).toContain('no usable answer');
  expect(other.requests).toEqual([]);
  await other.close();
});

test('after a 429 the endpoint is left alone for as long as it asks', async () => {
  stub.behave((_, response) => void response.writeHead(429, { 'retry-after': '30' }).end());
  const one = editor();
  const ask = (title: string) => one.judge(submission(title), new AbortController().signal);
  expect(modelNote(await ask('One'))).toContain('429');
  expect(modelNote(await ask('Two'))).toContain('left alone');
  expect(stub.requests).toHaveLength(1);
  now = new Date(NOON.getTime() + 31_000);
  stub.behave(completion(JSON.stringify({ ...GOOD, title: '三', summary: null })));
  expect((await ask('Three')).title).toBe('三');
});

test('answers that are refused for what they say leave the model to all other articles', async () => {
  const one = editor();
  const ask = (title: string) => one.judge(submission(title), new AbortController().signal);
  stub.behave(completion(JSON.stringify({ ...GOOD, title: 'See other.com', summary: null })));
  for (const title of ['One', 'Two', 'Three', 'Four']) {
    expect(modelNote(await ask(title))).toContain('addresses');
  }
  stub.behave(completion('not JSON'));
  for (const title of ['Five', 'Six', 'Seven']) expect(modelNote(await ask(title))).toContain('not JSON');
  stub.behave(completion(JSON.stringify({ ...GOOD, title: '八', summary: null })));
  expect((await ask('Eight')).title).toBe('八');
});

test('an endpoint that fails three times in a row is left alone, whatever it answered between', async () => {
  const one = editor();
  const ask = (title: string) => one.judge(submission(title), new AbortController().signal);
  const fail = () => stub.behave((_, response) => void response.writeHead(500).end());
  fail();
  for (const title of ['One', 'Two']) expect(modelNote(await ask(title))).toContain('500');
  stub.behave(completion('not JSON'));
  await ask('Three');
  fail();
  for (const title of ['Four', 'Five', 'Six']) expect(modelNote(await ask(title))).toContain('500');
  expect(modelNote(await ask('Seven'))).toContain('left alone');
});

test.each([
  ['Booking.com fined over reviews', null, 'Booking.com 因评论被罚'],
  ['Booking.com: a fine', null, '罚款：Booking.com'],
  ['Minister answers @harbour on X', null, '部长在 X 上回应 @harbour'],
  ['1234567 sign for the lantern', null, '1234567 人为灯塔签名'],
  ['A site is fined', 'Booking.com has to pay.', 'Booking.com 被罚'],
])('a name that the article has is no foreign one: %s', async (title, summary, translated) => {
  stub.behave(completion(JSON.stringify({ ...GOOD, title: translated, summary: null })));
  expect((await judge(submission(title, { summary }))).title).toBe(translated);
  // And it is remembered.
  expect((await judge(submission(title, { summary }))).title).toBe(translated);
  expect(stub.requests).toHaveLength(1);
});

test.each([
  ['of a page on that site', 'Booking.com/offer 被罚'],
  ['of a port on that site', 'Booking.com:81 被罚'],
  ['of another site', 'evil.booking.com 被罚'],
  ['of a site that begins like it', 'booking.com.evil.com 被罚'],
  ['as a link', 'https://booking.com 被罚'],
  ['of a handle', '@booking 被罚'],
])('a name %s is foreign to an article about the site', async (_, translated) => {
  const given = submission('Booking.com fined over reviews');
  stub.behave(completion(JSON.stringify({ ...GOOD, title: translated, summary: null })));
  expect((await judge(given)).title).toBeUndefined();
});

test('the budget of a day holds for all workers, and the next day has its own', async () => {
  stub.behave(completion(JSON.stringify({ ...GOOD, title: '标题', summary: null })));
  const judged = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      judge(submission(`Title ${index}`), { EDITORIAL_DAILY_REQUESTS: '2' }),
    ),
  );
  expect(stub.requests).toHaveLength(2);
  expect(judged.filter((one) => modelNote(one)?.includes('budget'))).toHaveLength(4);
  now = new Date('2026-11-20T16:00:00Z');
  await judge(submission('Tomorrow'), { EDITORIAL_DAILY_REQUESTS: '2' });
  expect(stub.requests).toHaveLength(3);
});

test('no source uses up the budget of the others', async () => {
  stub.behave(completion(JSON.stringify({ ...GOOD, title: '标题', summary: null }), 100));
  await addSources(['/one', '/two', '/three', '/four', '/five']);
  const one = editor({ EDITORIAL_DAILY_REQUESTS: '10' });
  const ask = async (id: number, title: string) => {
    const given = submission(title);
    const judgement = await one.judge(
      { ...given, source: { ...given.source, id } },
      new AbortController().signal,
    );
    return modelNote(judgement)?.startsWith('it gave') === true;
  };
  const flood = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(1, `Flood ${index}`)));
  // A quarter of ten, rounded up.
  expect(flood.filter((answered) => answered)).toHaveLength(3);
  expect(await ask(2, 'Of another source')).toBe(true);
  now = new Date('2026-11-20T16:00:00Z');
  expect(await ask(1, 'On the next day')).toBe(true);
});

test('nor the tokens of the others, and what a request was estimated at counts only until it is answered', async () => {
  await addSources(['/one', '/two']);
  const one = editor({ EDITORIAL_DAILY_TOKENS: '20000' });
  const ask = async (id: number, title: string, tokens: number) => {
    stub.behave(completion(JSON.stringify({ ...GOOD, title: '标题', summary: null }), tokens));
    const given = submission(title);
    const judged = await one.judge(
      { ...given, source: { ...given.source, id } },
      new AbortController().signal,
    );
    return modelNote(judged)?.startsWith('it gave') === true;
  };
  for (let index = 0; index < 20; index += 1) expect(await ask(1, `Short ${index}`, 100)).toBe(true);
  expect(await ask(1, 'Long', 9000)).toBe(true);
  expect(await ask(1, 'More', 100)).toBe(false);
  expect(await ask(2, 'Of another source', 100)).toBe(true);
});

test('a budget of tokens holds, too', async () => {
  stub.behave(completion(JSON.stringify({ ...GOOD, title: '标题', summary: null }), 9_000));
  for (const title of ['A', 'B', 'C']) await judge(submission(title), { EDITORIAL_DAILY_TOKENS: '10000' });
  expect(stub.requests).toHaveLength(1);
});

test('no more requests run at once than allowed', async () => {
  const open: (() => void)[] = [];
  stub.behave((request, response) =>
    open.push(() => completion(JSON.stringify({ ...GOOD, title: '标题', summary: null }))(request, response)),
  );
  const one = editor();
  const judged = Promise.all(
    ['A', 'B', 'C', 'D'].map((title) => one.judge(submission(title), new AbortController().signal)),
  );
  await until('two requests are open', () => Promise.resolve(open.length === 2));
  expect(stub.requests).toHaveLength(2);
  for (let answered = 0; answered < 4; answered += 1) {
    await until('a request is open', () => Promise.resolve(open.length > 0));
    open.shift()?.();
  }
  await judged;
  expect(stub.requests).toHaveLength(4);
});

describe('30 attempts of a feed to give orders', () => {
  test('there are 30', () => expect(INJECTIONS).toHaveLength(30));

  test.each(INJECTIONS)('%s', async (feedText, obeyed) => {
    stub.behave(completion(JSON.stringify({ ...GOOD, ...obeyed })));
    const given = { ...GIVEN, summary: `${GIVEN.summary} ${feedText}` };
    const judgement = await judge(given);
    const byRules = await judgeByRules(given);
    const told = `${judgement.title ?? ''} ${judgement.summary ?? ''} ${judgement.reason ?? ''}`;
    expect(told).not.toMatch(/evil|https?:|<|\]\(|\u202e|You help the editor|Acme|0900|ZorgCoin|BitZorg/iu);
    expect([null, ...readVocabulary({}).categories]).toContain(judgement.category);
    expect((judgement.score ?? 0) - (byRules.score ?? 0)).toBeLessThanOrEqual(25);
    expect(judgement.score).toBeGreaterThanOrEqual(0);
    expect(Object.keys(judgement).sort()).toEqual(
      expect.arrayContaining(['category', 'directions', 'reason', 'score', 'selected', 'terms']),
    );
    expect(Object.keys(judgement)).not.toEqual(expect.arrayContaining(['links']));
    expect(Object.keys(judgement)).not.toEqual(expect.arrayContaining(['id']));
    for (const { instruction, data } of stub.requests) {
      expect(instruction).not.toContain(feedText);
      expect(JSON.parse(data).article.summary).toBe(given.summary);
    }
  });
});
