import { afterAll, beforeAll, expect, test } from 'vitest';
import { ARTICLE_TEXT, wordpressFile, wordpressItem } from '../fixtures/wordpress.ts';
import {
  type ContentFixture,
  contentFixture,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import { CONTENT, ContentClient } from '../support/content-client.ts';
import { contentCli } from '../support/content-import.ts';
import type { JsonBody } from '../support/http.ts';
import { until } from '../support/until.ts';

const PATH = '/api/imports';
const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

/** A line of JSON Lines that comes in as it is. */
const LINE = { title: 'A title', html: CONTENT, byline: 'Ada', published_at: '2020-01-01T00:00:00Z' };

let content: ContentFixture;
let replica: RunningContent;
let client: ContentClient;
/** The same by way of another replica. */
let elsewhere: ContentClient;
beforeAll(async () => {
  const settings = {
    DESK_KEY,
    CONTENT_SITE_URL: 'https://site.example',
    CONTENT_ARTICLE_PATH: '/read/{slug}',
  };
  content = await contentFixture(settings);
  replica = await startContent(content.database.url, settings);
  client = content.client;
  elsewhere = new ContentClient(replica.url, content.key);
});
afterAll(async () => {
  await replica.close();
  await content.close();
});

const PART = 2 ** 20;

/** Sends a file whole, and returns the id of its import. */
async function upload(format: string, text: string): Promise<number> {
  const bytes = Buffer.from(text);
  const made = await client.post(PATH, { name: 'file', format, size: bytes.length });
  expect([made.status, made.text]).toEqual([201, made.text]);
  const { id } = made.body.data;
  for (let number = 1; (number - 1) * PART < bytes.length; number += 1) {
    const data = bytes.subarray((number - 1) * PART, number * PART).toString('base64');
    const put = await elsewhere.put(`${PATH}/${id}/parts/${number}`, { data });
    expect([put.status, put.text]).toEqual([200, put.text]);
  }
  return id;
}

/** Asks for work, and returns the import when it has ended, as the other replica tells. */
async function ended(id: number, work: string, options?: JsonBody): Promise<JsonBody> {
  const asked = await client.send(`${PATH}/${id}/${work}`, {
    method: 'POST',
    ...(options && { json: options }),
  });
  expect([asked.status, asked.text]).toEqual([202, asked.text]);
  return until(`${work} of ${id}`, async () => {
    const { data } = (await elsewhere.send(`${PATH}/${id}`)).body;
    return !data.state.endsWith('ing') && data;
  });
}

async function entries(id: number, query = ''): Promise<unknown[]> {
  const { body } = await client.send(`${PATH}/${id}/entries${query}`);
  return body.data.map(({ outcome, title, reasons }: JsonBody) => [
    outcome,
    title,
    ...reasons.map((reason: JsonBody) => `${reason.code} ${reason.about}`),
  ]);
}

const slugs = async () =>
  (await client.send('/api/articles?status=all')).body.data.map(({ slug }: JsonBody) => slug);

test('a WordPress file is checked, imported and taken back, but for what somebody has changed since', async () => {
  const id = await upload(
    'wordpress',
    wordpressFile(
      wordpressItem(1, { 'content:encoded': `<p onclick="x()">${ARTICLE_TEXT}</p>` }),
      ' '.repeat(PART),
      // A pattern that tries each of the slashes anew would take minutes.
      wordpressItem(2, { guid: `https://old.example/${'/'.repeat(60_000)}?p=2` }),
      wordpressItem(3, { 'wp:post_type': 'page' }),
      wordpressItem(4, { 'dc:creator': '' }),
    ),
  );
  const outcomes = [
    ['adapted', 'Article 1', 'html_removed onclick on <p>'],
    ['created', 'Article 2'],
    ['refused', 'Article 4', 'no_author null'],
  ];
  const checked = await ended(id, 'check');
  expect(checked).toMatchObject({
    state: 'checked',
    counts: { created: 1, adapted: 1, known: 0, refused: 1 },
    left_out: [{ code: 'not_article', about: 'page', count: 1 }],
  });
  expect(await entries(id)).toEqual(outcomes);
  expect(await slugs()).toEqual([]);

  expect(await ended(id, 'run')).toMatchObject({ state: 'done', counts: checked.counts });
  expect(await entries(id)).toEqual(outcomes);
  expect(await entries(id, '?outcome=created')).toEqual([['created', 'Article 2']]);
  expect((await slugs()).toSorted()).toEqual(['article-1', 'article-2']);
  const old = await client.anonymously('/api/redirects?from=/2016/01/article-2');
  expect(old.body.data[0].answer.location).toBe('/read/article-2');
  const { body: trail } = await client.send('/api/audit?action=import');
  expect(trail.data[0]).toMatchObject({ key: content.key.slice(3, 11), detail: { created: 2 } });

  // The pages are elsewhere by then.
  const moved = await client.send('/api/site', {
    method: 'PATCH',
    json: { article_path: '/stories/{slug}' },
    headers: { 'x-api-key': DESK_KEY, 'x-desk-person': 'Ada' },
  });
  expect(moved.status).toBe(200);
  const listed = (await client.send('/api/articles/by-slug/article-1')).body.data;
  await client.patch(`/api/articles/${listed.id}`, { title: 'Written since' });
  expect(await ended(id, 'undo')).toMatchObject({
    state: 'undone',
    undone: { removed: 1, changed: 1, gone: 0 },
  });
  expect(await slugs()).toEqual(['article-1']);
  expect((await client.send('/api/trash')).body.data).toMatchObject([{ slug: 'article-2' }]);
  expect((await client.anonymously('/api/redirects?from=/2016/01/article-2')).body.data).toEqual([]);

  // Once more, with another option: what the trash has comes anew, at its address.
  await ended(id, 'check', { author: 'Desk', clean: false });
  expect(await ended(id, 'run')).toMatchObject({
    options: { author: 'Desk', clean: false, short: true },
    counts: { created: 2, adapted: 0, known: 1, refused: 0 },
  });
  expect((await slugs()).toSorted()).toEqual(['article-1', 'article-2', 'article-4']);
});

test('an undo leaves what people work on, though nobody has changed it', async () => {
  const titles = ['Left alone', 'Discussed', 'Written anew', 'In review', 'Assigned'];
  const lines = titles.map((title) =>
    JSON.stringify({ ...LINE, title, ...(title !== 'Written anew' && { published_at: null }) }),
  );
  const id = await upload('jsonl', lines.join('\n'));
  await ended(id, 'check');
  await ended(id, 'run');
  const listed = (await client.send('/api/articles?status=all&per_page=100')).body.data;
  const idOf = (title: string) => listed.find((one: JsonBody) => one.title === title).id;
  const author = await client.post('/api/authors', { name: 'Ada' });
  const done = [
    await client.send(`/api/articles/${idOf('Discussed')}/comments`, {
      method: 'POST',
      json: { text: 'Is it so?' },
      headers: { 'x-api-key': DESK_KEY, 'x-desk-person': 'Rita', 'x-desk-scope': 'read' },
    }),
    await client.put(`/api/articles/${idOf('Written anew')}/working-copy`, { title: 'Anew' }),
    await client.put(`/api/articles/${idOf('In review')}/review`, { state: 'submitted', comment: null }),
    await client.put(`/api/articles/${idOf('Assigned')}/assignee`, { author_id: author.body.data.id }),
  ];
  expect(done.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
  expect(await ended(id, 'undo')).toMatchObject({ undone: { removed: 1, changed: 4, gone: 0 } });
});

test('files of imports have 512 MiB, until one of them is removed', async () => {
  const begin = () => client.post(PATH, { name: 'large', format: 'jsonl', size: 128 * 2 ** 20 });
  const begun: number[] = [];
  let answer = await begin();
  for (; answer.status === 201 && begun.length < 5; answer = await begin()) begun.push(answer.body.data.id);
  expect([answer.status, answer.body.code]).toEqual([409, 'too_many_imports']);
  expect(begun.length).toBeGreaterThanOrEqual(3);
  for (const id of begun) await client.send(`${PATH}/${id}`, { method: 'DELETE' });
  expect((await begin()).status).toBe(201);
});

test('what is asked too early, or twice, and files that are none, are told apart', async () => {
  const text = JSON.stringify(LINE);
  const { body } = await client.post(PATH, { name: 'a.jsonl', format: 'jsonl', size: text.length });
  const path = `${PATH}/${body.data.id}`;
  const refusals = [
    await client.post(`${path}/check`, {}),
    await client.send(`${path}/run`, { method: 'POST' }),
    await client.send(`${path}/undo`, { method: 'POST' }),
    await client.put(`${path}/parts/1`, { data: 'YQ==' }),
    await client.put(`${path}/parts/2`, { data: 'YQ==' }),
    await client.put(`${path}/parts/1`, { data: 'Y Q==' }),
    await client.post(PATH, { name: 'a', format: 'jsonl', size: 2 ** 40 }),
    await client.put(`${PATH}/99999/parts/1`, { data: 'YQ==' }),
    await elsewhere.anonymously(PATH),
  ];
  expect(refusals.map((one) => [one.status, one.body.code])).toEqual([
    [409, 'import_not_ready'],
    [409, 'import_not_ready'],
    [409, 'import_not_ready'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
    [422, 'validation_failed'],
    [422, 'validation_failed'],
    [404, 'not_found'],
    [401, 'unauthorized'],
  ]);

  // Two at once begin one check.
  await client.put(`${path}/parts/1`, { data: Buffer.from(text).toString('base64') });
  const both = await Promise.all([client.post(`${path}/check`, {}), elsewhere.post(`${path}/check`, {})]);
  expect(both.map(({ status }) => status)).toEqual([202, 202]);
  await until('checked', async () => (await client.send(path)).body.data.state === 'checked');
  expect(await entries(body.data.id)).toEqual([['created', 'A title']]);

  const broken = await upload('wordpress', wordpressFile(wordpressItem(1, {})).replace('</rss>', ''));
  expect(await ended(broken, 'check')).toMatchObject({
    state: 'failed',
    failure: { at: 'checking', code: 'malformed' },
  });
});

test('an import whose process is gone goes on elsewhere, and has failed when that ends them all', async () => {
  const lines = [1, 2].map((n) => JSON.stringify({ ...LINE, title: `Line ${n}` }));
  const id = await upload('jsonl', lines.join('\n'));
  await ended(id, 'check');
  const abandon = (attempts: number) =>
    content.database.pool.query(
      `update content.import set state = 'running', attempts = $2, lease_until = clock_timestamp() where id = $1`,
      [id, attempts],
    );
  const wake = () => content.database.pool.query(`notify content_imports`);
  const state = async () => (await client.send(`${PATH}/${id}`)).body.data;
  await abandon(3);
  await wake();
  const failed = await until('failed', async () => {
    const now = await state();
    return now.state === 'failed' && now;
  });
  expect(failed.failure).toEqual({ at: 'running', code: 'interrupted', about: null });
  await abandon(1);
  await wake();
  await until('done', async () => (await state()).state === 'done');
  expect(await entries(id)).toEqual([
    ['created', 'Line 1'],
    ['created', 'Line 2'],
  ]);

  expect((await client.delete(`${PATH}/${id}`)).status).toBe(200);
  expect((await client.send(`${PATH}/${id}`)).status).toBe(404);
  expect(await slugs()).toContain('line-1');
});

test('an export is restored with its ids, by the rules of the API, and members of no use are left out', async () => {
  const own = { ...LINE, type: 'article', slug: 'kept', author: 'Ada', published_at: '2020-01-01T00:00:00Z' };
  const { byline: _, ...line } = own;
  const lines = [
    { ...line, id: 700_001, lang: 'en' },
    { ...line, id: 700_002, slug: 'scripted', html: `${CONTENT}<script>x()</script>` },
    { ...line, id: 2 ** 31 - 1, slug: 'last' },
    { ...line, id: 700_003 },
    { ...line, id: 700_004, slug: 'second' },
    { type: 'category', id: 700_001, name: 'N'.repeat(101) },
  ];
  const id = await upload('jsonl', lines.map((one) => JSON.stringify(one)).join('\n'));
  await ended(id, 'check', { exact: true, clean: false, ignore: ['lang'], truncate: false });
  await ended(id, 'run');
  expect(await entries(id)).toEqual([
    ['created', 'A title'],
    ['refused', 'A title', 'html_not_allowed <script>'],
    ['refused', 'A title', 'value_refused id'],
    ['refused', 'A title', 'slug_kept null'],
    ['created', 'A title'],
    ['refused', 'N'.repeat(101), expect.stringMatching(/^value_refused category "N+"$/)],
  ]);
  const restored = (await client.send('/api/articles/by-slug/kept')).body.data;
  expect([restored.id, restored.published_at]).toEqual([700_001, '2020-01-01T00:00:00.000Z']);
  const next = (await client.article({ title: 'The next' })).id;
  expect([next > 700_001, next < 700_100]).toEqual([true, true]);

  // Undone, it comes again. Otherwise what is in the trash keeps its id.
  await ended(id, 'undo');
  await ended(id, 'check', { exact: true, ignore: ['lang'] });
  await ended(id, 'run');
  expect((await entries(id))[0]).toEqual(['created', 'A title']);
  await client.delete('/api/articles/700004');
  await ended(id, 'undo');
  const others = [
    { ...line, id: 700_001, slug: 'another' },
    { ...line, id: 700_004, slug: 'second' },
  ];
  const again = await upload('jsonl', others.map((one) => JSON.stringify(one)).join('\n'));
  await ended(again, 'check', { exact: true });
  expect(await entries(again)).toEqual(others.map(() => ['refused', 'A title', 'id_taken null']));
  const wordpress = await upload('wordpress', wordpressFile(wordpressItem(1, {})));
  const refused = await client.post(`${PATH}/${wordpress}/check`, { exact: true });
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('JSON Lines')]);
});

test('everything is downloaded as the command exports it, and the trail says so', async () => {
  await client.article({ title: 'A draft' });
  const file = await fetch(`${content.url}/api/exports/content.jsonl`, {
    headers: { 'x-api-key': content.key },
  });
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="content.jsonl"');
  expect(await file.text()).toBe((await contentCli(content, ['export'])).stdout);
  expect((await client.send('/api/exports/content.jsonl', { method: 'HEAD' })).status).toBe(200);
  const { body } = await client.send('/api/audit?action=export');
  expect(body.data).toHaveLength(1);
});
