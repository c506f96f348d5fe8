import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ContentFixture,
  contentFixture,
  createKey,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import { articleBody, ContentClient, wholeArticle } from '../support/content-client.ts';
import { type JsonBody, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const SITE = {
  CONTENT_SITE_URL: 'https://site.example',
  SITE_NAME: 'The Site',
  SITE_LANGUAGE: 'en',
};

let content: ContentFixture;
let replica: RunningContent;
beforeAll(async () => {
  content = await contentFixture(SITE);
  replica = await startContent(content.database.url, SITE);
  // Every change of state of an article, whoever makes it.
  await content.database.pool.query(`
    create table flip (id integer, is_published boolean, place integer generated always as identity);
    create function note_flip() returns trigger language plpgsql as
      $$ begin insert into flip (id, is_published) values (new.id, new.is_published); return null; end $$;
    create trigger note_flip after update on content.article
      for each row when (old.is_published <> new.is_published) execute function note_flip()`);
});
afterAll(async () => {
  await replica.close();
  await content.close();
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A time from now on, without milliseconds, as people write it. */
const inMs = (ms: number) => `${new Date(Date.now() + ms).toISOString().slice(0, -5)}.000Z`;

/** A draft that is published in an hour unless `more` says otherwise. */
const planned = (more: JsonBody = {}) =>
  content.client.article({ title: 'Planned', publish_at: inMs(HOUR), ...more });

const pathOf = (id: number) => `/api/articles/${id}`;

async function scheduleOf(id: number): Promise<JsonBody> {
  const { body } = await content.client.send(`${pathOf(id)}?include=schedule`);
  return body.data.schedule;
}

/** Brings the time of an article forward to now: what tests have instead of waiting for it. */
async function makeDue(id: number, column = 'publish_at'): Promise<Date> {
  const { rows } = await content.database.pool.query(
    `update content.article set ${column} = now() where id = $1 returning ${column} as due`,
    [id],
  );
  return rows[0].due;
}

const published = (id: number) =>
  until('the article is published', async () => {
    const data = await content.client.detail(id);
    return data.is_published && data;
  });

async function flipsOf(...ids: number[]): Promise<unknown[]> {
  const { rows } = await content.database.pool.query(
    'select id, is_published from flip where id = any($1) order by place',
    [ids],
  );
  return rows;
}

const client = (key: string) => new ContentClient(content.url, key);

test('an embargoed article shows nowhere before its time, and everywhere on each replica after it', async () => {
  const { id: category } = await content.client.category({ name: 'Embargoes' });
  const { slug: tag } = (await content.client.post('/api/tags', { name: 'Embargo' })).body.data;
  const { cursor } = (await send(`${content.url}/api/sync/snapshot`)).body.meta;
  const body = { title: 'Neighbour zebra', category_id: category, tags: [tag] };
  const { id: neighbour } = await content.client.article({ ...body, is_published: true });
  const { id, slug } = await planned({ ...body, title: 'Embargoed zebra', excerpt: 'Quagga', author: 'Zoe' });
  const paths = [
    '/api/articles',
    '/api/articles?fields=full',
    '/api/articles?q=quagga',
    '/api/articles?author=Zoe',
    `/api/articles?tag=${tag}`,
    `/api/articles?ids=${id}`,
    pathOf(id),
    pathOf(neighbour),
    `/api/articles/by-slug/${slug}`,
    `/api/categories/${category}`,
    '/api/sync/snapshot?fields=full',
    `/api/sync/changes?cursor=${encodeURIComponent(cursor)}`,
    '/articles/feed.xml',
    '/articles/feed.atom',
    '/articles/feed.json',
    '/sitemap.xml?part=articles-1',
    '/news-sitemap.xml',
  ];
  const counted = ['/api/categories', '/api/tags'];
  const read = (at: { url: string }, path: string) => send(at.url + path);
  const [at, shown] = [[content, replica], new Map<string, string>()];
  for (const one of at) {
    for (const path of paths) {
      const { text } = await read(one, path);
      expect([path, /Embargoed zebra|embargoed-zebra/.test(text)]).toEqual([path, false]);
    }
    for (const path of counted) shown.set(path, (await read(one, path)).text);
    expect(shown.get('/api/categories')).toContain('"article_count":1');
  }
  const preview = (await content.client.post(`${pathOf(id)}/previews`, {})).body.data.token;
  expect((await send(`${replica.url}${pathOf(id)}?preview=${preview}`)).body.data.title).toBe(
    'Embargoed zebra',
  );

  const due = await makeDue(id);
  for (const one of at) {
    for (const path of paths) {
      await until(`${path} shows it`, async () =>
        /Embargoed zebra|embargoed-zebra/.test((await read(one, path)).text),
      );
    }
    for (const path of counted) {
      await until(`${path} counts it`, async () => (await read(one, path)).text !== shown.get(path));
    }
  }
  const { data } = (await read(replica, pathOf(id))).body;
  expect(data.published_at).toBe(due.toISOString());
  expect(await flipsOf(id)).toEqual([{ id, is_published: true }]);
  expect(content.log.text() + replica.log.text()).toContain('"article_published"');
});

test('what was missed is made good in the order of time, with the times that were promised', async () => {
  // Two replicas take one each, and the second may be done first.
  await replica.close();
  const made = [];
  for (const title of ['First', 'Second', 'Third']) made.push((await planned({ title })).id);
  const [first, second, third] = made as [number, number, number];
  const { id: ended } = await content.client.article({ is_published: true, unpublish_at: inMs(HOUR) });
  const { id: over } = await planned({ title: 'Over', unpublish_at: inMs(2 * HOUR) });
  // As after a downtime of an hour: all at once, and not in the order of their ids.
  const { rows } = await content.database.pool.query(
    `update content.article set
       publish_at = case when publish_at is not null then now() - make_interval(mins => minutes) end,
       unpublish_at = case article.id when $4 then now() - interval '25 minutes' when $5 then now() - interval '5 minutes' end
     from (values ($1::integer, 10), ($2, 30), ($3, 20), ($4, 0), ($5, 15)) as missed (id, minutes)
     where article.id = missed.id returning article.id, publish_at`,
    [first, second, third, ended, over],
  );
  const times = new Map(rows.map(({ id, publish_at }) => [id, publish_at?.toISOString()]));
  for (const id of [first, second, third]) expect((await published(id)).published_at).toBe(times.get(id));
  expect(await flipsOf(first, second, third, ended, over)).toEqual([
    { id: second, is_published: true },
    { id: ended, is_published: false },
    { id: third, is_published: true },
    { id: first, is_published: true },
  ]);
  // A draft whose end has passed is not shown for a moment.
  const { is_published, published_at } = await content.client.detail(over);
  expect([is_published, published_at]).toEqual([false, null]);
  expect(await scheduleOf(over)).toMatchObject({ publish_at: null });
  replica = await startContent(content.database.url, SITE);
});

test('is taken back at its time, and published again keeps when it was first', async () => {
  const { id } = await content.client.article({ is_published: true, unpublish_at: inMs(HOUR) });
  const { published_at } = await content.client.detail(id);
  await makeDue(id, 'unpublish_at');
  await until('it is a draft', async () => (await send(content.url + pathOf(id))).status === 404);
  expect(await scheduleOf(id)).toEqual({ publish_at: null, unpublish_at: null, release: null });
  await content.client.patch(pathOf(id), { publish_at: inMs(HOUR) });
  await makeDue(id);
  expect((await published(id)).published_at).toBe(published_at);
});

test('a schedule is changed, cancelled and made superfluous', async () => {
  const time = inMs(HOUR);
  const { id } = await planned({ publish_at: time.replace('.000Z', '+00:00') });
  expect(await scheduleOf(id)).toEqual({ publish_at: time, unpublish_at: null, release: null });
  const later = inMs(2 * HOUR);
  const end = inMs(3 * HOUR);
  const changed = await content.client.patch(pathOf(id), { publish_at: later, unpublish_at: end });
  expect(changed.body.data).toEqual({ id, publish_at: later, unpublish_at: end });
  const listed = await content.client.send('/api/articles?status=draft&include=schedule,tags&per_page=1');
  expect(listed.body.data[0]).toMatchObject({ id, schedule: { publish_at: later, unpublish_at: end } });
  // The contract's PUT knows nothing of it.
  await content.client.put(pathOf(id), wholeArticle({ title: 'Put' }));
  expect(await scheduleOf(id)).toMatchObject({ publish_at: later, unpublish_at: end });
  const cancelled = await content.client.patch(pathOf(id), { publish_at: null });
  expect(cancelled.body.data).toEqual({ id, publish_at: null });
  await content.client.patch(pathOf(id), { publish_at: later });
  const byHand = await content.client.patch(pathOf(id), { is_published: true });
  expect(byHand.body.data).toMatchObject({ is_published: true, publish_at: null });
  expect(await scheduleOf(id)).toMatchObject({ publish_at: null, unpublish_at: end });
  // Members of the answers that the contract has are as they were.
  const plain = (await content.client.send(pathOf(id))).body.data;
  expect(Object.keys(plain).filter((name) => /schedule|publish_at|release/.test(name))).toEqual([]);
});

test('a change that comes too late says so, unless it was done already', async () => {
  const { id } = await planned();
  const { headers } = await content.client.send(pathOf(id));
  const due = await makeDue(id);
  await published(id);
  const late = { status: 409, code: 'already_published' };
  expect((await content.client.patch(pathOf(id), { publish_at: inMs(HOUR) })).body).toMatchObject(late);
  expect((await content.client.patch(pathOf(id), { publish_at: null })).body).toMatchObject(late);
  // The editor had read the draft.
  const condition = { method: 'PATCH', headers: { 'if-match': headers.get('etag') ?? '' } };
  const json = { publish_at: null, is_published: false };
  expect((await content.client.send(pathOf(id), { ...condition, json })).status).toBe(412);
  // The answer to the first request was lost.
  const again = await content.client.patch(pathOf(id), { publish_at: due.toISOString() });
  expect([again.status, again.body.data]).toEqual([200, { id }]);
  const back = await content.client.patch(pathOf(id), { is_published: false, publish_at: inMs(HOUR) });
  expect(back.body.data).toMatchObject({ is_published: false });
  expect((await send(content.url + pathOf(id))).status).toBe(404);
});

test('a change wins or loses against the publication, never both', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, async () => (await planned()).id));
  const cancelled = ids.map(async (id, index) => {
    if (index % 2 === 0) await makeDue(id);
    const { status } = await content.client.patch(pathOf(id), { publish_at: null });
    if (index % 2 === 1) await makeDue(id).catch(() => undefined);
    return { id, status };
  });
  for (const { id, status } of await Promise.all(cancelled)) {
    // In one statement: those that were made due again may be published between two.
    const { rows } = await content.database.pool.query(
      `select is_published, (select count(*)::int from flip where flip.id = article.id) as flips
       from content.article where id = $1`,
      [id],
    );
    const [{ is_published, flips }] = rows;
    if (status === 200) expect(flips).toBe(is_published ? 1 : 0);
    else expect([status, is_published]).toEqual([409, true]);
  }
});

test('while an editor holds a row, the others are published', async () => {
  const [held, other] = [(await planned()).id, (await planned()).id];
  const editor = await content.database.pool.connect();
  try {
    await editor.query('begin');
    await editor.query(`update content.article set publish_at = now() - interval '1 minute' where id = $1`, [
      held,
    ]);
    await editor.query('commit; begin');
    await editor.query('select from content.article where id = $1 for update', [held]);
  } finally {
    await makeDue(other);
    await published(other);
    await editor.query('commit');
    editor.release();
  }
  await published(held);
});

test('what the database refuses holds nobody else up, and is tried again', async () => {
  const [bad, good, later] = [
    (await planned({ title: 'Refused' })).id,
    (await planned()).id,
    (await planned()).id,
  ];
  const { pool } = content.database;
  await pool.query(
    `alter table content.article add constraint refused check (not (title = 'Refused' and is_published))`,
  );
  await makeDue(bad);
  await makeDue(good);
  await published(good);
  await makeDue(later);
  await published(later);
  expect((await content.client.detail(bad)).is_published).toBe(false);
  expect(content.log.text() + replica.log.text()).toContain('"schedule_refused"');
  await pool.query('alter table content.article drop constraint refused');
  await planned();
  await published(bad);
});

describe('releases', () => {
  const put = (name: string, publish_at: string | null) =>
    content.client.put(`/api/releases/${name}`, { publish_at });
  const due = async (name: string) => {
    const { rows } = await content.database.pool.query(
      'update content.release set publish_at = now() where name = $1 returning publish_at',
      [name],
    );
    return rows[0].publish_at as Date;
  };

  test('publish their articles in one transaction', async () => {
    const time = inMs(HOUR);
    const made = await put('special', null);
    expect(made.headers.get('location')).toBe('/api/releases/special');
    expect([made.status, made.body.data]).toMatchObject([201, { name: 'special', publish_at: null }]);
    const ids: number[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.push((await content.client.article({ title: `Special ${index}`, release: 'special' })).id);
    expect((await put('special', time)).body.data).toMatchObject({ publish_at: time, published_at: null });
    expect(await scheduleOf(ids[0] as number)).toEqual({
      publish_at: time,
      unpublish_at: null,
      release: 'special',
    });
    const detail = (await content.client.send('/api/releases/special')).body.data;
    expect(detail.articles.map(({ id }: JsonBody) => id)).toEqual(ids);
    const [gone, own, byHand, ...rest] = ids as [number, number, number, ...number[]];
    await content.client.delete(pathOf(gone));
    await content.client.patch(pathOf(own), { publish_at: inMs(HOUR) });
    expect(await scheduleOf(own)).toMatchObject({ release: null });
    await content.client.patch(pathOf(byHand), { is_published: true });
    const promised = await due('special');
    for (const id of rest) expect((await published(id)).published_at).toBe(promised.toISOString());
    const { rows } = await content.database.pool.query(
      'select distinct xmin::text from content.article where id = any($1)',
      [rest],
    );
    expect(rows).toHaveLength(1);
    expect((await content.client.detail(own)).is_published).toBe(false);
    const after = (await content.client.send('/api/releases/special')).body.data;
    expect(after).toMatchObject({ published_at: expect.any(String), articles: [] });
    expect(await scheduleOf(rest[0] as number)).toEqual({
      publish_at: null,
      unpublish_at: null,
      release: null,
    });
    const late = { status: 409, code: 'already_published' };
    expect((await put('special', inMs(HOUR))).body).toMatchObject(late);
    expect((await put('special', promised.toISOString())).status).toBe(200);
    expect((await content.client.patch(pathOf(own), { release: 'special' })).body).toMatchObject(late);
  });

  test('appear whole or not at all', async () => {
    await put('whole', inMs(HOUR));
    const good = (await content.client.article({ release: 'whole' })).id;
    const bad = (await content.client.article({ title: 'Not whole', release: 'whole' })).id;
    const { pool } = content.database;
    await pool.query(
      `alter table content.article add constraint refused check (not (title = 'Not whole' and is_published))`,
    );
    await due('whole');
    await until('it was refused', () =>
      (content.log.text() + replica.log.text()).includes('"releases":["whole"]'),
    );
    expect((await content.client.detail(good)).is_published).toBe(false);
    await pool.query('alter table content.article drop constraint refused');
    await planned();
    await Promise.all([published(good), published(bad)]);
  });

  test('are moved and cancelled; their articles stay drafts', async () => {
    const first = await put('moved', inMs(HOUR));
    const condition = { method: 'PUT', headers: { 'if-match': first.headers.get('etag') ?? '' } };
    const [json, time] = [{ publish_at: inMs(2 * HOUR) }, inMs(3 * HOUR)];
    const { id } = await content.client.article({ release: 'moved', unpublish_at: time });
    expect((await content.client.send('/api/releases/moved', { ...condition, json })).status).toBe(200);
    expect((await content.client.send('/api/releases/moved', { ...condition, json })).status).toBe(412);
    const { body } = await put('moved', time);
    expect([body.status, body.detail]).toEqual([422, expect.stringContaining(`article ${id}`)]);
    const listed = (await content.client.send('/api/releases')).body;
    expect(listed.data.map(({ name }: JsonBody) => name)).toContain('moved');
    expect((await content.client.delete('/api/releases/moved')).status).toBe(200);
    expect((await content.client.delete('/api/releases/moved')).status).toBe(404);
    expect(await scheduleOf(id)).toEqual({ publish_at: null, unpublish_at: time, release: null });
    expect((await content.client.detail(id)).is_published).toBe(false);
  });

  test('have at most 100 articles', async () => {
    await put('full', null);
    await content.database.pool.query(
      `insert into content.article (title, slug, content, author, title_words, release)
       select 'Full', 'full-' || n, repeat('x', 60), 'Test', '{}', 'full' from generate_series(1, 99) as n`,
    );
    const both = await Promise.all(
      [1, 2].map(() => content.client.post('/api/articles', articleBody({ release: 'full' }))),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    await content.client.delete('/api/releases/full');
  });
});

test('says what is wrong with a time', async () => {
  await content.client.put('/api/releases/soon', { publish_at: inMs(HOUR) });
  const { id } = await planned();
  const { id: open } = await content.client.article({ is_published: true });
  const refused = async (path: string, json: object, field: string, code: string) => {
    const { status, body } = await content.client.patch(path, json);
    expect([json, status, body.errors]).toMatchObject([json, 422, [{ field, code }]]);
  };
  for (const field of ['publish_at', 'unpublish_at']) {
    for (const value of ['2026-11-23T18:00:00', '2026-11-23', 'tomorrow', '', 5])
      await refused(pathOf(id), { [field]: value }, field, expect.any(String) as unknown as string);
    await refused(pathOf(id), { [field]: inMs(-2 * MINUTE) }, field, 'in_the_past');
    await refused(pathOf(id), { [field]: '2099-01-01T00:00:00Z' }, field, 'too_large');
  }
  await refused(pathOf(id), { unpublish_at: inMs(MINUTE) }, 'unpublish_at', 'wrong_order');
  await refused(pathOf(id), { release: 'nothing' }, 'release', 'not_found');
  await refused(pathOf(id), { release: 'soon', publish_at: inMs(HOUR) }, 'publish_at', 'conflict');
  await refused(pathOf(id), { release: 'soon', unpublish_at: inMs(MINUTE) }, 'unpublish_at', 'wrong_order');
  await refused(pathOf(id), { is_published: true, publish_at: inMs(HOUR) }, 'publish_at', 'conflict');
  await refused(pathOf(open), { is_published: true, release: 'soon' }, 'release', 'conflict');
  const { status, body } = await content.client.put('/api/releases/soon', { publish_at: inMs(-HOUR) });
  expect([status, body.errors]).toMatchObject([422, [{ field: 'publish_at', code: 'in_the_past' }]]);
  expect((await content.client.put('/api/releases/Not_a_name', { publish_at: null })).status).toBe(400);
  // A little late is as good as now: a request that was sent again does what it said.
  const time = inMs(-2000);
  await content.client.patch(pathOf(id), { publish_at: time });
  expect((await published(id)).published_at).toBe(time);
});

test('planning takes the scope publish; anonymous readers see no plan', async () => {
  const { pool } = content.database;
  const keys = new Map<string, ContentClient>();
  for (const scope of ['read', 'write', 'publish']) {
    const key = await createKey(content.database, scope);
    await pool.query('update content.api_key set scope = $1 where prefix = $2', [scope, key.slice(3, 11)]);
    keys.set(scope, client(key));
  }
  const [reader, writer, editor] = ['read', 'write', 'publish'].map(
    (scope) => keys.get(scope) as ContentClient,
  );
  if (!reader || !writer || !editor) throw new Error('no keys');
  const forbidden = { status: 403, code: 'insufficient_scope' };
  const { id } = await content.client.article({});
  for (const json of [{ publish_at: inMs(HOUR) }, { unpublish_at: inMs(HOUR) }, { release: 'soon' }]) {
    expect((await writer.patch(pathOf(id), json)).body).toMatchObject(forbidden);
    expect((await writer.post('/api/articles', articleBody(json))).body).toMatchObject(forbidden);
  }
  expect((await editor.patch(pathOf(id), { publish_at: inMs(HOUR) })).status).toBe(200);
  // Approved as it is: a writer changes it no more.
  expect((await writer.patch(pathOf(id), { excerpt: 'Mine' })).body).toMatchObject(forbidden);
  expect((await reader.send(`${pathOf(id)}?include=schedule`)).status).toBe(200);
  expect((await reader.send('/api/releases')).status).toBe(200);
  const { slug, id: open } = await content.client.article({ is_published: true, unpublish_at: inMs(HOUR) });
  for (const path of [
    `${pathOf(open)}?include=schedule`,
    `/api/articles/by-slug/${slug}?include=schedule`,
    '/api/articles?include=schedule',
    '/api/releases',
  ]) {
    expect([path, (await send(content.url + path)).status]).toEqual([path, 401]);
  }
});

test('at rest, no replica asks the database what is due', async () => {
  const { id } = await planned();
  const { pool } = content.database;
  const asked = async () => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = 'article_by_due'`,
    );
    return rows[0].scans as number;
  };
  const sleepers = await until('all sleep', async () => {
    const before = await asked();
    await content.client.patch(pathOf(id), { excerpt: String(before) });
    await content.client.publish({});
    return (await asked()) === before ? before : undefined;
  });
  for (let index = 0; index < 20; index += 1) await content.client.publish({});
  // One look of each replica may fall into this time. PostgreSQL counts late: no test before this one may
  // have read the schedule.
  expect((await asked()) - sleepers).toBeLessThanOrEqual(2);
});

test('what is planned is listed in the order of time, page by page, to who has a key', async () => {
  await content.database.pool.query(
    'update content.article set publish_at = null, unpublish_at = null, release = null',
  );
  const [soon, later] = [inMs(30 * 24 * HOUR), inMs(60 * 24 * HOUR)];
  const name = 'in-the-schedule';
  await content.client.put(`/api/releases/${name}`, { publish_at: soon });
  await content.client.put('/api/releases/undecided', { publish_at: null });
  const id = async (more: JsonBody) => (await content.client.article({ title: 'Listed', ...more })).id;
  const first = await id({ publish_at: soon, unpublish_at: later });
  const released = await id({ release: name });
  const second = await id({ publish_at: soon });
  const ends = await id({ is_published: true, unpublish_at: later });
  for (const nothing of [{ release: 'undecided' }, { unpublish_at: soon }, {}]) await id(nothing);

  const list = async (query: string) => (await content.client.send(`/api/schedule?per_page=1${query}`)).body;
  const listed: JsonBody[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, meta } = await list(cursor && `&cursor=${cursor}`);
    listed.push(...data);
    cursor = meta.next_cursor;
  }
  expect(listed.map(({ id, due_at }) => [id, due_at])).toEqual([
    [first, soon],
    [released, soon],
    [second, soon],
    [ends, later],
  ]);
  expect(listed[1]).toEqual({
    id: released,
    title: 'Listed',
    featured_image: null,
    slug: expect.stringMatching(/^listed/),
    author: 'Test',
    category_id: null,
    is_published: false,
    due_at: soon,
    unpublish_at: null,
    release: name,
  });
  expect(listed[0]?.unpublish_at).toBe(later);
  expect(listed[3]?.is_published).toBe(true);
  expect(await send(`${content.url}/api/schedule`)).toMatchObject({ status: 401 });
  expect((await content.client.send('/api/schedule?cursor=1')).status).toBe(400);
});
