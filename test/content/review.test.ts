import { readTrail } from '@pressroom/content/audit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, queriesOf, startContent } from '../support/content.ts';
import { articleBody, CONTENT, wholeArticle } from '../support/content-client.ts';
import { contentCli } from '../support/content-import.ts';
import { type Answer, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

interface Person {
  name: string;
  scope: 'read' | 'write' | 'full';
  author?: number;
  account?: string;
}

let content: ContentFixture;
/** Where nobody approves their own. */
let strict: Awaited<ReturnType<typeof startContent>>;
let wanda: Person;
let other: Person;
const edgar: Person = { name: 'Edgar', scope: 'full' };
const oona: Person = { name: 'Oona 王', scope: 'full' };
const wendy: Person = { name: 'Wendy', scope: 'full' };
const rita: Person = { name: 'Rita', scope: 'read' };

beforeAll(async () => {
  content = await contentFixture({ DESK_KEY, CONTENT_SITE_URL: 'https://site.example' });
  strict = await startContent(content.database.url, { DESK_KEY, CONTENT_REVIEW_OWN: 'refused' });
  const author = async (name: string) => (await content.client.post('/api/authors', { name })).body.data.id;
  wanda = { name: 'Wanda', scope: 'write', author: await author('Wanda') };
  other = { name: 'Otto', scope: 'write', author: await author('Otto') };
});
afterAll(async () => {
  await strict.close();
  await content.close();
});

/** Sends a request as the desk does for somebody. */
function as(
  { name, scope, author, account }: Person,
  method: string,
  path: string,
  json?: unknown,
  headers = {},
  { url } = content as { url: string },
) {
  return send(url + path, {
    method,
    headers: {
      'x-api-key': DESK_KEY,
      'x-desk-person': encodeURIComponent(name),
      'x-desk-scope': scope,
      ...(author && { 'x-desk-author': String(author) }),
      ...(account && { 'x-desk-account': account }),
      ...headers,
    },
    ...(json !== undefined && { json }),
  });
}

const atStrict = (person: Person, method: string, path: string, json?: unknown) =>
  as(person, method, path, json, {}, strict);

async function draftOf(person: Person, more = {}): Promise<number> {
  const { body, status, text } = await as(person, 'POST', '/api/articles', articleBody(more));
  expect(status, text).toBe(201);
  return body.data.id;
}

const review = (id: number) => `/api/articles/${id}/review`;
const take = (person: Person, id: number, state: string, comment?: string, headers = {}) =>
  as(person, 'PUT', review(id), { state, ...(comment !== undefined && { comment }) }, headers);
const stateOf = async (id: number) => (await as(rita, 'GET', review(id))).body.data.state;
const refusal = ({ status, body }: Answer) => [status, body.code];
const listed = async (query: string) =>
  (await as(rita, 'GET', `/api/articles?status=all&fields=title&${query}`)).body.data.map(
    ({ title }: { title: string }) => title,
  );

test('a writer submits, an editor sends back with a comment, then approves and publishes', async () => {
  const id = await draftOf(wanda, { title: 'Under review' });
  expect((await as(wanda, 'GET', review(id))).body.data).toEqual({
    state: 'none',
    revision: 1,
    steps: [],
    may: ['submitted'],
  });
  const submitted = await take(wanda, id, 'submitted', 'Ready, I think.');
  expect([submitted.status, submitted.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  const key = (name: string) => ({ prefix: 'desk', name });
  const step = (state: string, comment: string | null, name: string, is_change = false) => ({
    ...{ state, comment, is_change, key: key(name), ends_plan: false },
    at: expect.any(String),
  });
  expect(submitted.body.data).toEqual({
    state: 'submitted',
    revision: 1,
    steps: [step('submitted', 'Ready, I think.', 'Wanda')],
    may: ['none', 'submitted'],
  });
  expect((await as(edgar, 'GET', review(id))).body.data.may).toEqual([
    'none',
    'submitted',
    'returned',
    'approved',
  ]);
  expect((await as(rita, 'GET', review(id))).body.data.may).toEqual([]);
  expect((await take(edgar, id, 'returned', 'The second paragraph?')).status).toBe(200);
  // A writer's change of a returned draft is submitted when it is ready.
  await as(wanda, 'PATCH', `/api/articles/${id}`, { excerpt: 'Better' });
  expect(await stateOf(id)).toBe('returned');
  expect((await take(wanda, id, 'submitted')).status).toBe(200);
  const approved = await take(edgar, id, 'approved');
  expect(approved.body.data.steps).toEqual([
    step('submitted', 'Ready, I think.', 'Wanda'),
    step('returned', 'The second paragraph?', 'Edgar'),
    step('submitted', null, 'Wanda'),
    step('approved', null, 'Edgar'),
  ]);
  expect((await as(wanda, 'PATCH', `/api/articles/${id}`, { is_published: true })).status).toBe(403);
  expect((await as(edgar, 'PATCH', `/api/articles/${id}`, { is_published: true })).status).toBe(200);
  expect((await as(edgar, 'GET', review(id))).body.data).toMatchObject({ state: 'none', steps: [], may: [] });
  expect(refusal(await take(wanda, id, 'submitted'))).toEqual([409, 'already_published']);
  expect(refusal(await take(edgar, id, 'approved'))).toEqual([409, 'already_published']);
  const trail = await readTrail(queriesOf(content.database), { article: id, limit: 20 });
  expect(trail.toReversed().map(({ action, key, detail }) => [action, key, detail])).toEqual([
    ['review.changed', 'desk:Wanda', { state: 'submitted' }],
    ['review.changed', 'desk:Edgar', { state: 'returned' }],
    ['review.changed', 'desk:Wanda', { state: 'submitted' }],
    ['review.changed', 'desk:Edgar', { state: 'approved' }],
    ['article.published', 'desk:Edgar', expect.anything()],
  ]);
});

test('an approval is for the text that was approved, whoever else changes it', async () => {
  const id = await draftOf(wanda);
  const path = `/api/articles/${id}`;
  await take(wanda, id, 'submitted');
  await as(wanda, 'PATCH', path, { title: 'While it waits' });
  expect(await stateOf(id)).toBe('submitted');
  await take(edgar, id, 'approved');
  // The one who approved it may mend a comma, and plan it, and put it somewhere.
  await as(edgar, 'PATCH', path, { content: `${CONTENT}<p>Edgar’s</p>` });
  const category_id = (await content.client.category({ name: 'Elsewhere' })).id;
  await as(oona, 'PATCH', path, { publish_at: '2035-01-01T00:00:00Z', category_id });
  expect(await stateOf(id)).toBe('approved');
  await as(oona, 'PATCH', path, { publish_at: null });
  await as(wanda, 'PATCH', path, { content: `${CONTENT}<p>After all, this.</p>` });
  const { state, steps } = (await as(edgar, 'GET', review(id))).body.data;
  expect([state, steps.at(-1)]).toEqual([
    'submitted',
    {
      state: 'submitted',
      comment: null,
      at: expect.any(String),
      key: { prefix: 'desk', name: 'Wanda' },
      is_change: true,
      ends_plan: false,
    },
  ]);
  await take(edgar, id, 'approved');
  expect((await as(wanda, 'PATCH', path, { title: 'While it waits' })).status).toBe(200);
  expect(await stateOf(id)).toBe('approved');
  await as(oona, 'PATCH', path, { alt_text: 'Another text' });
  expect(await stateOf(id)).toBe('submitted');
});

test('what is sent back is not published at its time, nor with its release', async () => {
  await as(edgar, 'PUT', '/api/releases/returned', { publish_at: null });
  for (const plan of [{ publish_at: '2035-01-01T00:00:00Z' }, { release: 'returned' }]) {
    const id = await draftOf(wanda);
    await take(wanda, id, 'submitted');
    await take(oona, id, 'approved');
    expect((await as(oona, 'PATCH', `/api/articles/${id}`, plan)).status).toBe(200);
    const { body } = await take(edgar, id, 'returned', 'Not yet.');
    expect(body.data.steps.at(-1)).toMatchObject({ state: 'returned', ends_plan: true });
    const read = await as(rita, 'GET', `/api/articles/${id}?include=schedule`);
    expect(read.body.data.schedule).toEqual({ publish_at: null, unpublish_at: null, release: null });
    const [newest] = (await as(rita, 'GET', `/api/articles/${id}/revisions`)).body.data;
    expect(newest).toMatchObject({ key: { name: 'Edgar' }, changed: [Object.keys(plan)[0]] });
    // The writer may write it again, who may not write what is planned.
    expect((await as(wanda, 'PATCH', `/api/articles/${id}`, { excerpt: 'Better' })).status).toBe(200);
    expect((await take(wanda, id, 'submitted')).status).toBe(200);
  }
});

test('who may do what', async () => {
  const own = await draftOf(wanda);
  const theirs = await draftOf(other);
  for (const [person, id, state, expected] of [
    [rita, own, 'submitted', [403, 'insufficient_scope']],
    [rita, own, 'approved', [403, 'insufficient_scope']],
    [wanda, theirs, 'submitted', [403, 'insufficient_scope']],
    [wanda, theirs, 'none', [403, 'insufficient_scope']],
    [wanda, own, 'approved', [403, 'insufficient_scope']],
    [wanda, own, 'returned', [403, 'insufficient_scope']],
    [edgar, own, 'approved', [409, 'not_submitted']],
    [edgar, own, 'returned', [409, 'not_submitted']],
    [wanda, own, 'submitted', [200, undefined]],
    [wanda, own, 'approved', [403, 'insufficient_scope']],
    [wanda, own, 'none', [200, undefined]],
    [oona, theirs, 'submitted', [200, undefined]],
    [oona, theirs, 'approved', [200, undefined]],
    [edgar, 999_999, 'submitted', [404, 'not_found']],
  ] as const) {
    const answer = await take(person, id, state, 'A comment');
    expect(refusal(answer), `${person.name} ${state}: ${answer.text}`).toEqual(expected);
  }
  expect((await send(content.url + review(own))).status).toBe(401);
  for (const path of ['/api/reviews', `/api/articles?review=submitted`, `/api/articles?responsible=1`])
    expect((await send(content.url + path)).status).toBe(401);
  for (const include of ['review', 'assignee'])
    expect((await send(`${content.url}/api/articles/${own}?include=${include}`)).status).toBe(401);
  for (const path of ['/articles/feed.json?responsible=1', '/api/authors/1?review=approved'])
    expect((await send(content.url + path)).status).toBe(400);
});

const LONG = { state: 'submitted', comment: 'x'.repeat(2001) };

test.each([
  [{ state: 'returned' }, 'comment', 'required'],
  [{ state: 'returned', comment: ' \n' }, 'comment', 'required'],
  [{ state: 'submitted', comment: 'a\0b' }, 'comment', 'invalid_characters'],
  [{ state: 'submitted', comment: '\ud800' }, 'comment', 'invalid_characters'],
  [{ state: 'published' }, 'state', expect.any(String)],
  [{}, 'state', expect.any(String)],
  [{ state: 'submitted', steps: [] }, 'steps', expect.any(String)],
])('%j is refused', async (body, field, code) => {
  const id = await draftOf(wanda);
  expect((await as(edgar, 'PUT', review(id), LONG)).body.errors).toMatchObject([
    { field: 'comment', code: 'too_long' },
  ]);
  const answer = await as(edgar, 'PUT', review(id), body);
  expect([answer.status, answer.body.errors]).toEqual([422, [expect.objectContaining({ field, code })]]);
});

test('a comment is text, whatever it looks like', async () => {
  const id = await draftOf(wanda);
  const comment = `<script>alert(1)</script> '; drop table content.review; -- {"state":"approved"} \u202e 王👩‍💻`;
  await take(wanda, id, 'submitted', comment);
  expect((await as(edgar, 'GET', review(id))).body.data.steps.at(-1).comment).toBe(comment);
});

test('of two who decide at once, one is told what the other has decided', async () => {
  const id = await draftOf(wanda);
  await take(wanda, id, 'submitted');
  const read = await as(edgar, 'GET', review(id));
  const seen = { 'if-match': String(read.headers.get('etag')) };
  const answers = await Promise.all([
    take(edgar, id, 'approved', undefined, seen),
    take(oona, id, 'returned', 'No.', seen),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);

  const second = await draftOf(wanda);
  await take(wanda, second, 'submitted');
  await take(edgar, second, 'approved');
  const late = await take(oona, second, 'approved');
  expect([late.status, late.body.code, late.body.detail]).toEqual([
    409,
    'not_submitted',
    'Edgar has approved the draft already; look at it again',
  ]);
});

test('nobody approves a text that they have not seen', async () => {
  const id = await draftOf(wanda);
  await take(wanda, id, 'submitted');
  const seen = String((await as(edgar, 'GET', review(id))).headers.get('etag'));
  await as(wanda, 'PATCH', `/api/articles/${id}`, { title: 'Something else altogether' });
  expect(refusal(await take(edgar, id, 'approved', undefined, { 'if-match': seen }))).toEqual([
    412,
    'precondition_failed',
  ]);
});

test('a step whose answer was lost is not taken twice', async () => {
  const id = await draftOf(wanda);
  for (const [person, state, comment] of [
    [wanda, 'submitted', 'Once'],
    [edgar, 'returned', 'Once'],
    [wanda, 'submitted', 'Again'],
    [edgar, 'approved', undefined],
  ] as const) {
    const seen = { 'if-match': String((await as(person, 'GET', review(id))).headers.get('etag')) };
    const [first, repeated] = [
      await take(person, id, state, comment, seen),
      await take(person, id, state, comment, seen),
    ];
    expect([first.status, repeated.status, repeated.text]).toEqual([200, 200, first.text]);
  }
  expect((await as(edgar, 'GET', review(id))).body.data.steps).toHaveLength(4);
});

test('lists show where reviews stand, and how many', async () => {
  const countsOf = async (author?: number) =>
    (await as(rita, 'GET', `/api/reviews${author === undefined ? '' : `?responsible=${author}`}`)).body.data;
  const [before, hers, his] = [await countsOf(), await countsOf(wanda.author), await countsOf(other.author)];
  const id = await draftOf(wanda, { title: 'Counted draft' });
  await take(wanda, id, 'submitted');
  const more = (counts: Record<string, number>, ...names: string[]) =>
    Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, count + (names.includes(name) ? 1 : 0)]),
    );
  expect(await countsOf()).toEqual(more(before, 'submitted', 'draft'));
  expect(await countsOf(wanda.author)).toEqual(more(hers, 'submitted', 'draft'));
  expect(await countsOf(other.author)).toEqual(his);
  expect(await listed('review=submitted')).toContain('Counted draft');
  expect(await listed('review=approved')).not.toContain('Counted draft');
  await until('the search finds it', async () => (await listed('review=submitted&q=counted')).length === 1);
  expect(await listed('review=approved&q=counted')).toEqual([]);
  expect(await listed(`review=submitted&sort=updated&cursor=&author_slug=wanda`)).toContain('Counted draft');
  const { body } = await as(rita, 'GET', `/api/articles?status=all&ids=${id}&include=review,assignee`);
  const shown = {
    review: { state: 'submitted', changed_at: expect.any(String), key: { prefix: 'desk', name: 'Wanda' } },
    assignee: null,
  };
  expect(body.data).toMatchObject([shown]);
  expect((await as(rita, 'GET', `/api/articles/${id}?include=review,assignee`)).body.data).toMatchObject(
    shown,
  );
});

test('every state is counted as its list has it', async () => {
  const counts = async () => {
    const { published, draft, scheduled, deleted } = (await as(rita, 'GET', '/api/reviews')).body.data;
    return [published, draft, scheduled, deleted];
  };
  const [published = 0, draft = 0, scheduled = 0, deleted = 0] = await counts();
  const publish_at = '2035-01-31T18:00:00Z';
  await as(edgar, 'PUT', '/api/releases/counted', { publish_at });
  await draftOf(edgar, { is_published: true, unpublish_at: publish_at });
  await draftOf(edgar, { publish_at });
  const featured_image = 'https://site.example/pier.jpg';
  const released = await draftOf(edgar, { release: 'counted', featured_image });
  await as(edgar, 'DELETE', `/api/articles/${await draftOf(edgar, { featured_image })}`);
  expect(await counts()).toEqual([published + 1, draft + 2, scheduled + 3, deleted + 1]);
  const { data } = (await as(rita, 'GET', '/api/schedule?per_page=100')).body;
  expect(data).toHaveLength(scheduled + 3);
  expect(data.find(({ id }: { id: number }) => id === released)).toMatchObject({ featured_image });
  expect((await as(rita, 'GET', '/api/trash')).body.data[0]).toMatchObject({ featured_image });
});

test('an article is assigned to an author, who may change it and submit it', async () => {
  const id = await draftOf(other, { title: 'To be taken over' });
  const assignee = `/api/articles/${id}/assignee`;
  for (const person of [rita, wanda, other])
    expect(refusal(await as(person, 'PUT', assignee, { author_id: wanda.author }))).toEqual([
      403,
      'insufficient_scope',
    ]);
  expect((await as(wanda, 'PATCH', `/api/articles/${id}`, { excerpt: 'Hers' })).status).toBe(403);
  const assigned = await as(edgar, 'PUT', assignee, { author_id: wanda.author });
  const person = { id: wanda.author, name: 'Wanda', slug: 'wanda' };
  expect([assigned.status, assigned.body.data]).toEqual([200, { assignee: person }]);
  const repeated = await as(edgar, 'PUT', assignee, { author_id: wanda.author });
  expect([repeated.status, repeated.headers.get('etag')]).toEqual([200, assigned.headers.get('etag')]);
  const late = await as(oona, 'PUT', assignee, { author_id: other.author }, { 'if-match': '"other"' });
  expect(refusal(late)).toEqual([412, 'precondition_failed']);
  expect((await as(wanda, 'PATCH', `/api/articles/${id}`, { excerpt: 'Hers' })).status).toBe(200);
  expect((await as(wanda, 'POST', `/api/articles/${id}/previews`, {})).status).toBe(201);
  expect((await take(wanda, id, 'submitted')).status).toBe(200);
  expect(await listed(`responsible=${wanda.author}`)).toContain('To be taken over');
  const counts = (await as(wanda, 'GET', `/api/reviews?responsible=${wanda.author}`)).body.data;
  expect(counts.submitted).toBeGreaterThan(0);
  expect((await as(rita, 'GET', `/api/articles/${id}?include=assignee`)).body.data.assignee).toEqual(person);

  // Deleted, it is nobody's to judge; restored, it is still hers to write.
  expect((await as(edgar, 'DELETE', `/api/articles/${id}`)).status).toBe(200);
  expect((await as(edgar, 'GET', review(id))).status).toBe(404);
  expect(refusal(await as(edgar, 'PUT', assignee, { author_id: null }))).toEqual([404, 'not_found']);
  await as(edgar, 'POST', `/api/articles/${id}/restore`);
  const restored = (await as(rita, 'GET', `/api/articles/${id}?include=assignee,review`)).body.data;
  expect([restored.assignee, restored.review]).toEqual([person, null]);

  // Published, it is changed by editors.
  await as(edgar, 'PATCH', `/api/articles/${id}`, { is_published: true });
  expect((await as(wanda, 'PATCH', `/api/articles/${id}`, { excerpt: 'Hers' })).status).toBe(403);
  const text = JSON.stringify((await send(`${content.url}/api/articles/${id}`)).body);
  expect(text).not.toContain('Wanda');
  await as(edgar, 'PATCH', `/api/articles/${id}`, { is_published: false });

  expect((await as(edgar, 'PUT', assignee, { author_id: null })).body.data).toEqual({ assignee: null });
  expect((await as(wanda, 'PATCH', `/api/articles/${id}`, { excerpt: 'Not hers' })).status).toBe(403);
  for (const author_id of [999_999, 0, 'Wanda', undefined]) {
    const { status, body } = await as(edgar, 'PUT', assignee, { author_id });
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'author_id']);
  }
  const trail = await readTrail(queriesOf(content.database), { article: id, limit: 20 });
  expect(trail.map(({ action, key }) => [action, key])).toEqual(
    expect.arrayContaining([
      ['article.assigned', 'desk:Edgar'],
      ['article.unassigned', 'desk:Edgar'],
    ]),
  );
});

test('an author who becomes another takes along what is assigned', async () => {
  const { id: author } = (await content.client.post('/api/authors', { name: 'Twin' })).body.data;
  const id = await draftOf(edgar);
  await as(edgar, 'PUT', `/api/articles/${id}/assignee`, { author_id: author });
  await contentCli(content, ['authors', 'merge', 'twin', 'wanda']);
  const { body } = await as(rita, 'GET', `/api/articles/${id}?include=assignee`);
  expect(body.data.assignee.name).toBe('Wanda');
});

const OWN = [403, 'own_article'];

test('with CONTENT_REVIEW_OWN=refused nobody approves their own', async () => {
  const otto = { ...other, scope: 'full' } as const;
  const byName = await draftOf(edgar);
  const byLink = await draftOf(otto, { authors: ['otto'] });
  const bySubmission = await draftOf(wanda);
  for (const [person, id] of [
    [edgar, byName],
    [otto, byLink],
    [oona, bySubmission],
  ] as const) {
    expect((await atStrict(person, 'PUT', review(id), { state: 'submitted' })).status).toBe(200);
    const refused = await atStrict(person, 'PUT', review(id), { state: 'approved' });
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      ...OWN,
      'somebody else approves what you have written or submitted',
    ]);
    expect((await atStrict(person, 'GET', review(id))).body.data.may).not.toContain('approved');
    const another = person === oona ? edgar : oona;
    expect((await atStrict(another, 'PUT', review(id), { state: 'approved' })).status).toBe(200);
  }
});

const PLANS = [{ is_published: true }, { publish_at: '2035-01-01T00:00:00Z' }, { release: 'own' }];

test('with CONTENT_REVIEW_OWN=refused nobody at the desk publishes their own without an approval', async () => {
  await as(edgar, 'PUT', '/api/releases/own', { publish_at: null });
  const otto = { ...other, scope: 'full' } as const;
  const byName = await draftOf(edgar);
  const byLink = await draftOf(otto, { authors: ['otto'] });
  for (const [person, id] of [
    [edgar, byName],
    [otto, byLink],
  ] as const) {
    const path = `/api/articles/${id}`;
    for (const plan of PLANS) {
      expect(refusal(await atStrict(person, 'PATCH', path, plan))).toEqual(OWN);
      expect(refusal(await atStrict(person, 'PUT', path, wholeArticle(plan)))).toEqual(OWN);
      expect(refusal(await atStrict(person, 'POST', `${path}/revisions/1/restore`, plan))).toEqual(OWN);
      const created = await atStrict(person, 'POST', '/api/articles', articleBody(plan));
      expect(refusal(created)).toEqual(OWN);
    }
    expect((await atStrict(person, 'PATCH', path, { excerpt: 'Still mine' })).status).toBe(200);
    expect((await atStrict(person, 'POST', `${path}/revisions/1/restore`)).status).toBe(200);
    await atStrict(person, 'PUT', review(id), { state: 'submitted' });
    expect(refusal(await atStrict(person, 'PATCH', path, { is_published: true }))).toEqual(OWN);
    expect((await atStrict(oona, 'PUT', review(id), { state: 'approved' })).status).toBe(200);
    expect((await atStrict(person, 'PATCH', path, { is_published: true })).status).toBe(200);
    expect((await atStrict(person, 'PATCH', path, { excerpt: 'Corrected' })).status).toBe(200);
  }
  // Whose it is not publishes it, and programs go on.
  const another = await draftOf(edgar);
  const byOona = await atStrict(oona, 'PATCH', `/api/articles/${another}`, { is_published: true });
  expect(byOona.status).toBe(200);
  const program = await send(`${strict.url}/api/articles`, {
    method: 'POST',
    json: articleBody({ is_published: true }),
    headers: { 'x-api-key': content.key },
  });
  expect(program.status, program.text).toBe(201);
});

const OTHER = { content: `${CONTENT}<p>Nobody has read this.</p>` };

test.each([
  ['at once', { is_published: true, ...OTHER }],
  ['at a time', { publish_at: '2035-01-01T00:00:00Z', ...OTHER }],
])(
  'with CONTENT_REVIEW_OWN=refused nothing else is published than what was approved: %s',
  async (_, change) => {
    const path = `/api/articles/${await approvedDraft()}`;
    expect(refusal(await atStrict(edgar, 'PATCH', path, change))).toEqual(OWN);
  },
);

test('with CONTENT_REVIEW_OWN=refused what is planned stays as it was approved', async () => {
  await as(edgar, 'PUT', '/api/releases/approved', { publish_at: null });
  for (const plan of [{ publish_at: '2035-01-01T00:00:00Z' }, { release: 'approved' }]) {
    const id = await approvedDraft();
    const path = `/api/articles/${id}`;
    expect((await atStrict(edgar, 'PATCH', path, plan)).status).toBe(200);
    for (const [method, where, change] of [
      ['PATCH', path, OTHER],
      ['PATCH', path, { excerpt: 'Nobody has read this.' }],
      ['PATCH', path, { extra: { unread: true } }],
      ['PATCH', `/api/drafts/${id}`, OTHER],
      ['PUT', path, wholeArticle(OTHER)],
      ['POST', `${path}/revisions/1/restore`, OTHER],
    ] as const) {
      expect(refusal(await atStrict(edgar, method, where, change)), `${method} ${where}`).toEqual(OWN);
    }
    // As it was approved, with another slug; and what somebody else writes is not theirs who plan it.
    expect((await atStrict(edgar, 'PUT', path, wholeArticle({ slug: `slug-${id}` }))).status).toBe(200);
    expect((await atStrict(oona, 'PATCH', path, { excerpt: 'Somebody else’s' })).status).toBe(200);
    const taken = { publish_at: null, release: null, ...OTHER };
    expect((await atStrict(edgar, 'PATCH', path, taken)).status).toBe(200);
    expect(refusal(await atStrict(edgar, 'PATCH', path, { is_published: true }))).toEqual(OWN);
  }
});

test('with CONTENT_REVIEW_OWN=refused a plan that somebody else made is for the text that they saw', async () => {
  const path = `/api/articles/${await draftOf(edgar)}`;
  expect((await atStrict(oona, 'PATCH', path, { publish_at: '2035-01-01T00:00:00Z' })).status).toBe(200);
  expect(refusal(await atStrict(edgar, 'PATCH', path, OTHER))).toEqual(OWN);
});

/** A draft of Edgar's that Oona has approved. */
async function approvedDraft(): Promise<number> {
  const id = await draftOf(edgar);
  await atStrict(edgar, 'PUT', review(id), { state: 'submitted' });
  expect((await atStrict(oona, 'PUT', review(id), { state: 'approved' })).status).toBe(200);
  return id;
}

test('with CONTENT_REVIEW_OWN=refused a draft is theirs who began it, whatever its byline says', async () => {
  const drafted = { title: 'A title', content: CONTENT, author: 'News desk' };
  const unsigned = (await atStrict(edgar, 'POST', '/api/drafts', drafted)).body.data.id;
  const signed = await draftOf(edgar);
  expect((await as(edgar, 'PATCH', `/api/articles/${signed}`, { author: 'News desk' })).status).toBe(200);
  for (const id of [unsigned, signed]) {
    const path = `/api/articles/${id}`;
    await as(oona, 'PATCH', path, { excerpt: 'Somebody else’s' });
    expect(refusal(await atStrict(edgar, 'PATCH', path, { is_published: true }))).toEqual(OWN);
    await as(oona, 'PUT', review(id), { state: 'submitted' });
    expect(refusal(await atStrict(edgar, 'PUT', review(id), { state: 'approved' }))).toEqual(OWN);
    expect((await atStrict(wendy, 'PUT', review(id), { state: 'approved' })).status).toBe(200);
    expect((await atStrict(edgar, 'PATCH', path, { is_published: true })).status).toBe(200);
  }
});

test('with CONTENT_REVIEW_OWN=refused another name makes nobody another person', async () => {
  const nora: Person = { name: 'Nora', scope: 'full', account: 'a-1' };
  const renamed = { ...nora, name: 'Nora Ink' };
  const heir: Person = { name: 'Nora', scope: 'full', account: 'a-2' };
  const refused = async (person: Person, id: number) => {
    expect((await atStrict(person, 'GET', review(id))).body.data.may).not.toContain('approved');
    expect(refusal(await atStrict(person, 'PUT', review(id), { state: 'approved' }))).toEqual(OWN);
    for (const plan of PLANS)
      expect(refusal(await atStrict(person, 'PATCH', `/api/articles/${id}`, plan))).toEqual(OWN);
  };
  await as(edgar, 'PUT', '/api/releases/own', { publish_at: null });
  const begun = await draftOf(nora);
  await atStrict(nora, 'PUT', review(begun), { state: 'submitted' });
  const submitted = await draftOf(wanda);
  await atStrict(nora, 'PUT', review(submitted), { state: 'submitted' });
  // Of before accounts were kept, it is known by the name alone.
  const former = await draftOf({ name: 'Nora', scope: 'full' });
  await atStrict(edgar, 'PUT', review(former), { state: 'submitted' });
  for (const id of [begun, submitted]) await refused(renamed, id);
  await refused(nora, former);
  for (const id of [begun, submitted]) {
    expect((await atStrict(heir, 'PUT', review(id), { state: 'approved' })).status).toBe(200);
    expect((await atStrict(heir, 'PATCH', `/api/articles/${id}`, { is_published: true })).status).toBe(200);
  }
});

test('an approval is not kept by who takes the name of its giver', async () => {
  const giver: Person = { name: 'Gisela', scope: 'full', account: 'b-1' };
  const path = `/api/articles/${await draftOf(edgar)}`;
  await take(edgar, Number(path.split('/').at(-1)), 'submitted');
  await as(giver, 'PUT', `${path}/review`, { state: 'approved' });
  await as({ ...giver, name: 'Gisela Renamed' }, 'PATCH', path, { excerpt: 'A comma' });
  expect((await as(rita, 'GET', `${path}/review`)).body.data.state).toBe('approved');
  await as({ ...giver, account: 'b-2' }, 'PATCH', path, { excerpt: 'Another text' });
  expect((await as(rita, 'GET', `${path}/review`)).body.data.state).toBe('submitted');
});

test('steps are kept, the latest fifty', async () => {
  const id = await draftOf(wanda);
  for (let step = 1; step <= 60; step += 1) await take(wanda, id, 'submitted', `Step ${step}`);
  const { steps } = (await as(wanda, 'GET', review(id))).body.data;
  expect([steps.length, steps[0].comment, steps.at(-1).comment]).toEqual([50, 'Step 11', 'Step 60']);
});
