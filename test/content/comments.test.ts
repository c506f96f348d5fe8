import { readTrail } from '@pressroom/content/audit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, queriesOf } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { type Answer, send } from '../support/http.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

interface Person {
  name: string;
  scope: 'read' | 'write' | 'full';
  author?: number;
  account?: string;
}

let content: ContentFixture;
let wanda: Person;
let otto: Person;
const edgar: Person = { name: 'Edgar 王', scope: 'full' };
const rita: Person = { name: 'Rita', scope: 'read' };
const ANCHOR = { exact: 'of a draft', prefix: 'Words ', suffix: '. Words', block: 0 };

beforeAll(async () => {
  content = await contentFixture({ DESK_KEY, CONTENT_SITE_URL: 'https://site.example' });
  const author = async (name: string) => (await content.client.post('/api/authors', { name })).body.data.id;
  wanda = { name: 'Wanda', scope: 'write', author: await author('Wanda') };
  otto = { name: 'Otto', scope: 'write', author: await author('Otto') };
});
afterAll(() => content.close());

/** Sends a request as the desk does for somebody. */
function as(
  { name, scope, author, account }: Person,
  method: string,
  path: string,
  json?: unknown,
  headers = {},
) {
  return send(content.url + path, {
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

async function draftOf(person: Person, more = {}): Promise<number> {
  const { body, status, text } = await as(person, 'POST', '/api/articles', articleBody(more));
  expect(status, text).toBe(201);
  return body.data.id;
}

const at = (article: number, comment?: number) =>
  `/api/articles/${article}/comments${comment === undefined ? '' : `/${comment}`}`;
const refusal = ({ status, body }: Answer) => [status, body.code];
const listed = async (person: Person, article: number) =>
  (await as(person, 'GET', at(article))).body.data as {
    id: number;
    text: string;
    resolved_at: unknown;
    may: string[];
  }[];

async function comment(person: Person, article: number, text: string, more = {}): Promise<number> {
  const { body, status, text: answer } = await as(person, 'POST', at(article), { text, ...more });
  expect(status, answer).toBe(201);
  return body.data.id;
}

test('an editor comments a place, the writer answers, the editor resolves it', async () => {
  const id = await draftOf(wanda);
  expect(await listed(wanda, id)).toEqual([]);
  const made = await as(edgar, 'POST', at(id), { text: 'Is that so?', anchor: ANCHOR });
  expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'private, no-store']);
  const place = made.body.data.id;
  expect(made.headers.get('location')).toBe(at(id, place));
  const shown = {
    ...{ id: place, parent_id: null, text: 'Is that so?', anchor: ANCHOR },
    ...{ created_at: expect.any(String), key: { prefix: 'desk', name: 'Edgar 王' } },
    ...{ edited_at: null, resolved_at: null, resolved_by: null, may: ['edit', 'resolve', 'delete'] },
  };
  expect(made.body.data).toEqual(shown);
  const answer = await as(wanda, 'POST', at(id), { text: 'It is.', parent_id: place });
  expect(answer.body.data).toMatchObject({ parent_id: place, anchor: null, may: ['edit', 'delete'] });
  expect((await as(wanda, 'GET', at(id))).body.data).toEqual([
    { ...shown, may: ['resolve'] },
    answer.body.data,
  ]);
  const edited = await as(wanda, 'PATCH', at(id, answer.body.data.id), { text: 'It is, see page 2.' });
  expect(edited.body.data).toMatchObject({ text: 'It is, see page 2.', edited_at: expect.any(String) });

  const resolved = await as(edgar, 'PATCH', at(id, place), { is_resolved: true });
  expect(resolved.body.data).toMatchObject({
    resolved_at: expect.any(String),
    resolved_by: { prefix: 'desk', name: 'Edgar 王' },
    edited_at: null,
  });
  // Repeated, it is not resolved anew.
  const again = await as(wanda, 'PATCH', at(id, place), { is_resolved: true });
  expect(again.body.data).toMatchObject({
    resolved_at: resolved.body.data.resolved_at,
    resolved_by: { name: 'Edgar 王' },
  });
  await as(wanda, 'PATCH', at(id, place), { is_resolved: false });
  expect(await listed(edgar, id)).toMatchObject([{ resolved_at: null }, { resolved_at: null }]);
  // An answer to what was resolved is not overlooked.
  await as(edgar, 'PATCH', at(id, place), { is_resolved: true });
  await comment(wanda, id, 'One more thing', { parent_id: place });
  expect((await listed(edgar, id))[0]).toMatchObject({ id: place, resolved_at: null });
});

test('who may do what', async () => {
  const id = await draftOf(wanda);
  const [hers, his, readers] = [
    await comment(wanda, id, 'Mine'),
    await comment(edgar, id, 'His'),
    await comment(rita, id, 'I only look'),
  ];
  const answered = await comment(otto, id, 'Otto’s');
  await comment(rita, id, 'An answer', { parent_id: answered });
  const [resolve, edit] = [{ is_resolved: true }, { text: 'Other words' }];
  const no = [403, 'insufficient_scope'];
  const done = [200, undefined];
  for (const [person, method, which, body, expected] of [
    [rita, 'PATCH', readers, edit, done],
    [rita, 'PATCH', readers, resolve, done],
    [rita, 'PATCH', his, edit, no],
    [rita, 'PATCH', his, resolve, no],
    [rita, 'DELETE', his, undefined, no],
    [wanda, 'PATCH', his, edit, no],
    [wanda, 'PATCH', his, resolve, done],
    [wanda, 'DELETE', his, undefined, no],
    [otto, 'PATCH', hers, resolve, no],
    [otto, 'PATCH', answered, resolve, done],
    // Only an editor deletes a comment that others have answered.
    [otto, 'DELETE', answered, undefined, no],
    [edgar, 'PATCH', hers, edit, no],
    [edgar, 'PATCH', hers, resolve, done],
    [edgar, 'DELETE', answered, undefined, done],
    [edgar, 'DELETE', answered, undefined, [404, 'not_found']],
    [wanda, 'DELETE', hers, undefined, done],
    [rita, 'DELETE', readers, undefined, done],
    [edgar, 'PATCH', 999_999, resolve, [404, 'not_found']],
  ] as const) {
    const may = (await listed(person, id)).find((one) => one.id === which)?.may;
    const answer = await as(person, method, at(id, which), body);
    expect(refusal(answer), `${person.name} ${method} ${JSON.stringify(body)}: ${answer.text}`).toEqual(
      expected,
    );
    const act = method === 'DELETE' ? 'delete' : body === edit ? 'edit' : 'resolve';
    if (may !== undefined)
      expect([person.name, which, act, may.includes(act)]).toEqual([
        person.name,
        which,
        act,
        expected === done,
      ]);
  }
  expect((await listed(edgar, id)).map(({ text }) => text)).toEqual(['His']);
  const other = await draftOf(wanda);
  expect(refusal(await as(edgar, 'DELETE', at(other, his)))).toEqual([404, 'not_found']);
  expect(refusal(await as(edgar, 'POST', at(999_999), { text: 'x' }))).toEqual([404, 'not_found']);
});

test('a comment stays with who wrote it, whatever they are called, and who else takes their name', async () => {
  const nora: Person = { name: 'Nora', scope: 'full', account: 'c-1' };
  const [renamed, heir] = [
    { ...nora, name: 'Nora Ink' },
    { ...nora, account: 'c-2' },
  ];
  const id = await draftOf(wanda);
  const made = await comment(nora, id, 'Is that so?');
  const edit = (person: Person) => as(person, 'PATCH', at(id, made), { text: `By ${person.account}` });
  expect((await edit(renamed)).status).toBe(200);
  expect(refusal(await edit(heir))).toEqual([403, 'insufficient_scope']);
  await comment(heir, id, 'It is.', { parent_id: made });
  expect(refusal(await as({ ...renamed, scope: 'read' }, 'DELETE', at(id, made)))).toEqual([
    403,
    'insufficient_scope',
  ]);
  expect((await as(heir, 'DELETE', at(id, made))).status).toBe(200);
  const [deleted] = await readTrail(queriesOf(content.database), { article: id, limit: 1 });
  expect(deleted).toMatchObject({ action: 'comment.deleted', key: 'desk:Nora' });
});

test('a comment is moved by whoever may change the text it stands at', async () => {
  const id = await draftOf(wanda);
  const made = await as(edgar, 'POST', at(id), { text: 'Here', anchor: ANCHOR });
  const path = at(id, made.body.data.id);
  const anchor = { ...ANCHOR, exact: 'of a better draft', block: 2 };
  for (const person of [rita, otto])
    expect(refusal(await as(person, 'PATCH', path, { anchor }))).toEqual([403, 'insufficient_scope']);
  const moved = await as(wanda, 'PATCH', path, { anchor });
  expect([moved.status, moved.body.data]).toEqual([200, { ...made.body.data, anchor, may: ['resolve'] }]);
  // It says the same: its text can be changed by who has not seen it move.
  expect(moved.headers.get('etag')).toBe(made.headers.get('etag'));
});

test('the trail names who deleted the comment of somebody else', async () => {
  const id = await draftOf(wanda);
  const [hers, own] = [await comment(wanda, id, 'Secret words'), await comment(edgar, id, 'Own')];
  await comment(wanda, id, 'Goes with it', { parent_id: own });
  await as(edgar, 'DELETE', at(id, own));
  await as(edgar, 'DELETE', at(id, hers));
  const trail = await readTrail(queriesOf(content.database), { article: id, limit: 20 });
  expect(trail.map(({ action, key, detail }) => [action, key, detail])).toEqual([
    ['comment.deleted', 'desk:Edgar 王', { id: hers, created_by: 'desk:Wanda' }],
  ]);
});

test.each([
  [{}, 'text', expect.any(String)],
  [{ text: '' }, 'text', 'required'],
  [{ text: ' \u200b\n' }, 'text', 'required'],
  [{ text: 'x'.repeat(2001) }, 'text', 'too_long'],
  [{ text: 'a\0b' }, 'text', 'invalid_characters'],
  [{ text: '\ud800' }, 'text', 'invalid_characters'],
  [{ text: 7 }, 'text', expect.any(String)],
  [{ text: 'x', key: 'desk:Edgar' }, 'key', expect.any(String)],
  [{ text: 'x', parent_id: 999_999 }, 'parent_id', 'not_found'],
  [{ text: 'x', parent_id: 0 }, 'parent_id', expect.any(String)],
  [{ text: 'x', anchor: { ...ANCHOR, exact: '' } }, 'anchor.exact', 'required'],
  [{ text: 'x', anchor: { ...ANCHOR, exact: 'x'.repeat(1001) } }, 'anchor.exact', 'too_long'],
  [{ text: 'x', anchor: { ...ANCHOR, prefix: 'x'.repeat(33) } }, 'anchor.prefix', 'too_long'],
  [{ text: 'x', anchor: { ...ANCHOR, suffix: '\0' } }, 'anchor.suffix', 'invalid_characters'],
  [{ text: 'x', anchor: { ...ANCHOR, block: -1 } }, 'anchor.block', expect.any(String)],
  [{ text: 'x', anchor: { ...ANCHOR, html: '<p>' } }, expect.stringMatching(/^anchor/), expect.any(String)],
  [{ text: 'x', anchor: 'somewhere' }, 'anchor', expect.any(String)],
])('%j is refused', async (body, field, code) => {
  const id = await draftOf(wanda);
  const answer = await as(edgar, 'POST', at(id), body);
  expect([answer.status, answer.body.errors]).toEqual([422, [expect.objectContaining({ field, code })]]);
  expect(await listed(edgar, id)).toEqual([]);
});

test('the list of the desk says how many comments of each article are open', async () => {
  const [talked, quiet] = [await draftOf(wanda), await draftOf(wanda)];
  const first = await comment(edgar, talked, 'Is that so?');
  await comment(wanda, talked, 'It is.', { parent_id: first });
  const second = await comment(rita, talked, 'And this?');
  const query = `/api/articles?status=all&sort=oldest&ids=${talked},${quiet}&include=open_comments`;
  const counted = async () =>
    (await as(rita, 'GET', query)).body.data.map((one: { open_comments: number }) => one.open_comments);
  expect((await counted()).toSorted()).toEqual([0, 2]);
  await as(edgar, 'PATCH', at(talked, second), { is_resolved: true });
  expect((await counted()).toSorted()).toEqual([0, 1]);
  expect((await send(content.url + query)).status).toBe(401);
  expect(refusal(await content.client.send(query))).toEqual([403, 'insufficient_scope']);
});

test('answers are one level deep, and stand and are resolved where the comment is that they answer', async () => {
  const [id, elsewhere] = [await draftOf(wanda), await draftOf(wanda)];
  const root = await comment(edgar, id, 'Root');
  const answer = await comment(wanda, id, 'Answer', { parent_id: root });
  for (const [path, method, json, field] of [
    [at(id), 'POST', { text: 'x', parent_id: answer }, 'parent_id'],
    [at(elsewhere), 'POST', { text: 'x', parent_id: root }, 'parent_id'],
    [at(id), 'POST', { text: 'x', parent_id: root, anchor: ANCHOR }, 'anchor'],
    [at(id, answer), 'PATCH', { is_resolved: true }, 'is_resolved'],
    [at(id, answer), 'PATCH', { anchor: ANCHOR }, 'anchor'],
    [at(id, root), 'PATCH', { anchor: null }, 'anchor'],
    [at(id, root), 'PATCH', { anchor: { ...ANCHOR, exact: 'x'.repeat(1001) } }, 'anchor.exact'],
  ] as const) {
    const { status, body } = await as(wanda, method, path, json);
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  }
  expect((await as(wanda, 'PATCH', at(id, answer), {})).status).toBe(422);
});

test('a comment is text, whatever it looks like', async () => {
  const id = await draftOf(wanda);
  const text = `<img src=x onerror=alert(1)> '; drop table content.article; -- {{1}} \u202e 王👩‍💻\n\n\t&amp;`;
  const anchor = { exact: '<script>alert(1)</script>', prefix: '"\'`', suffix: '👩‍💻', block: 3 };
  const made = await comment(wanda, id, text, { anchor });
  expect(await listed(edgar, id)).toMatchObject([{ id: made, text, anchor }]);
});

test('a comment whose answer was lost is made once; a change of what has changed since is refused', async () => {
  const id = await draftOf(wanda);
  const body = { text: 'Once', anchor: ANCHOR };
  const once = { 'idempotency-key': 'once' };
  const answers = await Promise.all([1, 2, 3].map(() => as(wanda, 'POST', at(id), body, once)));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(2);
  for (const other of [{ text: 'Twice' }, { ...body, anchor: null }])
    expect(refusal(await as(wanda, 'POST', at(id), other, once))).toEqual([422, 'idempotency_key_reused']);
  // Somebody else's key is another one.
  expect((await as(edgar, 'POST', at(id), body, once)).headers.get('idempotent-replayed')).toBeNull();
  expect((await as(wanda, 'POST', at(id), body, { 'idempotency-key': 'ö' })).status).toBe(400);
  expect(await listed(wanda, id)).toHaveLength(2);

  const [first] = answers;
  const made = first?.body.data.id;
  const seen = { 'if-match': String(first?.headers.get('etag')) };
  expect((await as(wanda, 'PATCH', at(id, made), { text: 'In one tab' }, seen)).status).toBe(200);
  const late = await as(wanda, 'PATCH', at(id, made), { text: 'In another' }, seen);
  expect(refusal(late)).toEqual([412, 'precondition_failed']);
  expect(refusal(await as(wanda, 'DELETE', at(id, made), undefined, seen))).toEqual([
    412,
    'precondition_failed',
  ]);
});

test('an article has 500 comments at most, however many come at once', async () => {
  const id = await draftOf(wanda);
  await content.database.pool.query(
    `insert into content.article_comment (article_id, text, created_by)
     select $1, 'Comment ' || number, 'desk:Wanda' from generate_series(1, 498) as number`,
    [id],
  );
  const answers = await Promise.all([1, 2, 3, 4].map(() => as(edgar, 'POST', at(id), { text: 'Another' })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'too_many_comments',
    detail: 'the article has 500 comments; delete some that are resolved',
  });
  expect(await listed(edgar, id)).toHaveLength(500);
  expect((await as(edgar, 'POST', at(await draftOf(wanda)), { text: 'Elsewhere' })).status).toBe(201);
});

test('comments go with a deleted article, come back with it, and are gone when it is', async () => {
  const id = await draftOf(wanda);
  const root = await comment(edgar, id, 'Stays', { anchor: ANCHOR });
  await comment(wanda, id, 'Stays too', { parent_id: root });
  const before = await listed(edgar, id);
  await as(edgar, 'DELETE', `/api/articles/${id}`);
  expect((await as(edgar, 'GET', at(id))).status).toBe(404);
  expect((await as(edgar, 'POST', at(id), { text: 'x' })).status).toBe(404);
  expect((await as(edgar, 'DELETE', at(id, root))).status).toBe(404);
  await as(edgar, 'POST', `/api/articles/${id}/restore`);
  expect(await listed(edgar, id)).toEqual(before);
  await as(edgar, 'DELETE', `/api/articles/${id}`);
  await as(edgar, 'DELETE', `/api/trash/${id}`);
  const { rows } = await content.database.pool.query(
    'select from content.article_comment where article_id = $1',
    [id],
  );
  expect(rows).toEqual([]);
});

test('no reader and no program sees a comment, or that there is one', async () => {
  const { client, url } = content;
  const WORD = 'Zwischenruf';
  const { id, slug } = await client.article({ title: 'Commented', is_published: true });
  const { rows: before } = await content.database.pool.query('select * from content.article where id = $1', [
    id,
  ]);
  const seen = (await send(`${url}/api/articles/${id}`)).headers.get('etag');
  const made = await comment(edgar, id, WORD, { anchor: { ...ANCHOR, exact: WORD } });
  await comment(wanda, id, WORD, { parent_id: made });
  await as(edgar, 'PATCH', at(id, made), { is_resolved: true });
  const { rows: after } = await content.database.pool.query('select * from content.article where id = $1', [
    id,
  ]);
  expect(after).toEqual(before);
  const { token } = (await client.post(`/api/articles/${id}/previews`, {})).body.data;
  const paths = [
    '/api/articles?per_page=100',
    `/api/articles?q=${WORD}`,
    `/api/articles/${id}?include=tags,authors,extra,jsonld`,
    `/api/articles/by-slug/${slug}`,
    `/api/articles/${id}?preview=${token}`,
    '/api/sync/snapshot',
    '/api/sync/changes',
    '/articles/feed.xml',
    '/articles/feed.atom',
    '/articles/feed.json',
    '/sitemap.xml',
  ];
  for (const path of paths) {
    for (const { text, headers } of [await send(url + path), await client.send(path)]) {
      expect([path, text.includes(WORD) || text.includes('comment_id')]).toEqual([path, false]);
      expect([path, [...headers.values()].join(' ').includes(WORD)]).toEqual([path, false]);
    }
  }
  for (const path of [
    '/api/articles?status=all&include=schedule,working_copy,review,assignee&per_page=100',
    `/api/articles/${id}/revisions`,
    `/api/articles/${id}/revisions/1`,
  ]) {
    const { status, text } = await client.send(path);
    expect([path, status, text.includes(WORD)]).toEqual([path, 200, false]);
  }
  const unchanged = await send(`${url}/api/articles/${id}`, { headers: { 'if-none-match': String(seen) } });
  expect(unchanged.status).toBe(304);

  // Neither without a key, nor with the token of a preview, nor with any key.
  expect((await send(url + at(id))).status).toBe(401);
  expect([401, 400]).toContain((await send(`${url + at(id)}?preview=${token}`)).status);
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
    const path = ['GET', 'POST'].includes(method) ? at(id) : at(id, made);
    const json = method === 'GET' || method === 'DELETE' ? {} : { json: { text: WORD } };
    const { status, body } = await client.send(path, { method, ...json });
    expect([method, status, body.code]).toEqual([method, 403, 'insufficient_scope']);
    const outside = {
      'x-api-key': DESK_KEY,
      'x-desk-person': 'Edgar',
      'x-forwarded-host': 'content.example',
    };
    expect((await send(url + path, { method, headers: outside, ...json })).status).toBe(403);
  }
});
