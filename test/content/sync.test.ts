import { hash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../support/command.ts';
import {
  type ContentFixture,
  contentFixture,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import { CONTENT } from '../support/content-client.ts';
import { type Answer, type JsonBody, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const SNAPSHOT = '/api/sync/snapshot';
const CHANGES = '/api/sync/changes';

let content: ContentFixture;
/** With a cache; the other reads the database each time. */
let cached: RunningContent;
beforeAll(async () => {
  content = await contentFixture({ CACHE_BYTES: '0' });
  cached = await startContent(content.database.url);
});
afterAll(async () => {
  await cached.close();
  await content.close();
});
beforeEach(async () => {
  await query(
    'delete from content.article where id in (select id from content.article order by id for update); delete from content.category; delete from content.tag; delete from content.author; delete from content.series; delete from content.redirect',
  );
});

const query = (sql: string, values?: unknown[]) => content.database.pool.query(sql, values);

async function read(path: string): Promise<JsonBody> {
  const { status, text, body } = await content.client.anonymously(path);
  expect([status, text]).toEqual([200, text]);
  return body;
}

/** Each test sees only its own changes: this cursor comes after those of the tests before it. */
async function cursorNow(more = ''): Promise<string> {
  let { cursor } = (await read(`${SNAPSHOT}?limit=1${more}`)).meta;
  for (let hasMore = true; hasMore; )
    ({ cursor, has_more: hasMore } = (await read(`${CHANGES}?cursor=${cursor}`)).meta);
  return cursor;
}

/** The changes since a cursor: `+article:1` and `-article:1`. */
async function changesSince(cursor: string): Promise<{ changes: string[]; cursor: string }> {
  const { data, meta } = await read(`${CHANGES}?cursor=${cursor}`);
  expect(meta.has_more).toBe(false);
  const changes = data.map((change: JsonBody) => {
    const { kind, id } = change.item ?? change;
    return `${change.op === 'upsert' ? '+' : '-'}${kind}:${id}`;
  });
  return { changes, cursor: meta.cursor };
}

/** Every item of the snapshot, and how many requests that took. */
async function snapshot(parameters: string): Promise<{ items: JsonBody[]; requests: number }> {
  const items: JsonBody[] = [];
  let page = '';
  for (let requests = 1; ; requests += 1) {
    const { data, meta } = await read(`${SNAPSHOT}?${parameters}${page}`);
    items.push(...data);
    if (meta.next_page === null) return { items, requests };
    page = `&page=${meta.next_page}`;
  }
}

/** Runs `content ledger`, and returns its output. */
async function operate(command: string): Promise<string> {
  const env = { DATABASE_URL: content.database.url };
  const { code, stdout, stderr } = await run(['services/content/src/cli.ts', 'ledger', command], { env });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const named = (items: JsonBody[]) => items.map(({ kind, id }) => `${kind}:${id}`);

/** Inserts published articles with that content by hand; only the table itself knows of them if `unseen`. */
async function insert(count: number, text: string, unseen = false): Promise<void> {
  const client = await content.database.pool.connect();
  try {
    await client.query('begin');
    if (unseen) await client.query('set local session_replication_role = replica');
    await client.query(
      `insert into content.article (title, slug, content, author, title_words, is_published, published_at)
       select 'Many', gen_random_uuid(), ${text}, 'x', '{}', true, now() - interval '1 hour' * (n / 3)
       from generate_series(1, $1::int) as n`,
      [count],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}

test('the snapshot has what is published: categories, tags, authors and series, then articles with the ids of theirs', async () => {
  const category = await content.client.category({ name: 'Science', description: 'All of it' });
  const tag = (await content.client.post('/api/tags', { name: 'Beets' })).body.data;
  const other = (await content.client.post('/api/tags', { name: 'Apples' })).body.data;
  const ada = (await content.client.post('/api/authors', { name: 'Ada' })).body.data;
  const { id } = await content.client.article({
    is_published: true,
    category_id: category.id,
    tags: [tag.slug, other.slug],
    authors: [ada.id],
    excerpt: 'Short',
  });
  const series = (await content.client.post('/api/series', { name: 'Roots' })).body.data;
  await content.client.put(`/api/series/${series.id}/articles`, { articles: [id] });
  await content.client.article({ title: 'A draft' });
  const { data: detail } = await read(`/api/articles/${id}`);
  const { related_articles: _, is_published: __, category: ___, ...whole } = detail;
  const copy = {
    kind: 'article',
    category_id: category.id,
    tag_ids: [tag.id, other.id],
    author_ids: [ada.id],
    series_id: series.id,
    series_position: 1,
  };
  const {
    content: ____,
    alt_text,
    meta_title,
    meta_description,
    canonical_url,
    created_at,
    updated_at,
    ...brief
  } = whole;

  const body = await read(SNAPSHOT);
  expect(body).toMatchObject({ status: 'success', message: 'Snapshot found' });
  expect(body.meta).toEqual({
    fields: 'default',
    as_of: expect.any(String),
    cursor: expect.any(String),
    next_page: null,
  });
  const times = {
    created_at: expect.stringMatching(/\.\d{3}Z$/),
    updated_at: expect.stringMatching(/\.\d{3}Z$/),
  };
  expect(body.data).toEqual([
    {
      kind: 'category',
      id: category.id,
      name: 'Science',
      slug: 'science',
      description: 'All of it',
      picture: null,
      position: null,
      ...times,
    },
    { kind: 'tag', id: other.id, name: 'Apples', slug: 'apples', description: null, ...times },
    { kind: 'tag', id: tag.id, name: 'Beets', slug: 'beets', description: null, ...times },
    { kind: 'author', id: ada.id, name: 'Ada', slug: 'ada', bio: null, picture: null, links: [], ...times },
    { kind: 'series', id: series.id, name: 'Roots', slug: 'roots', description: null, ...times },
    { ...brief, ...copy },
  ]);
  const full = await read(`${SNAPSHOT}?fields=full`);
  expect(full.meta.fields).toBe('full');
  expect(full.data.at(-1)).toEqual({ ...whole, ...copy, extra: null });
});

test('every change of what is published is one row of the changes, and nothing else is', async () => {
  let cursor = await cursorNow('&fields=full');
  const expectChanges = async (...expected: string[]) => {
    const page = await changesSince(cursor);
    expect(page.changes).toEqual(expected);
    cursor = page.cursor;
  };
  const { id } = await content.client.article({ title: 'A draft' });
  const path = `/api/articles/${id}`;
  await content.client.patch(path, { title: 'Still a draft' });
  await expectChanges();
  await content.client.patch(path, { is_published: true });
  await expectChanges(`+article:${id}`);
  await content.client.patch(path, { content: `${CONTENT}<p>More</p>` });
  await expectChanges(`+article:${id}`);
  await content.client.patch(path, { is_published: false });
  await expectChanges(`-article:${id}`);
  await content.client.patch(path, { excerpt: 'Not published' });
  await expectChanges();
  await content.client.patch(path, { is_published: true });
  await content.client.delete(path);
  await expectChanges(`-article:${id}`);

  const { id: category } = await content.client.category({ name: 'Science' });
  const { id: article } = await content.client.article({ is_published: true, category_id: category });
  await content.client.article({ is_published: true, category_id: category });
  cursor = (await changesSince(cursor)).cursor;
  await content.client.patch(`/api/categories/${category}`, { name: 'Sciences' });
  await expectChanges(`+category:${category}`);
  const tag = (await content.client.post('/api/tags', { name: 'Beets' })).body.data;
  await content.client.patch(`/api/articles/${article}`, { tags: [tag.slug] });
  await expectChanges(`+tag:${tag.id}`, `+article:${article}`);

  // By hand, without a new `updated_at`; and what no copy shows.
  await query(`update content.article set slug = 'by-hand' where id = $1`, [article]);
  await expectChanges(`+article:${article}`);
  await query(
    `update content.article set title_words = '{other}', slug_is_given = not slug_is_given, title = title`,
  );
  await query('update content.category set name = name');
  await expectChanges();
});

test('a truncated table and deleted rows are removals; an id never changes', async () => {
  const [{ id: category }, { id }] = [
    await content.client.category({ name: 'Science' }),
    await content.client.article({ is_published: true }),
  ];
  await content.client.article({ title: 'A draft' });
  const cursor = await cursorNow();
  await expect(query('update content.article set id = default')).rejects.toThrow(
    'content.article never changes',
  );
  await query('truncate content.article cascade');
  await content.client.delete(`/api/categories/${category}`);
  expect((await changesSince(cursor)).changes).toEqual([`-article:${id}`, `-category:${category}`]);
});

test('writers are followed in the order of their commits, and those that roll back leave nothing', async () => {
  const { id: first } = await content.client.article({ is_published: true });
  const { id: second } = await content.client.article({ is_published: true });
  const { id: third } = await content.client.article({ is_published: true });
  let cursor = await cursorNow();
  const writers = await Promise.all(
    [first, second, third].map(async (id) => {
      const writer = new pg.Client({ connectionString: content.database.url });
      onTestFinished(() => writer.end());
      await writer.connect();
      await writer.query('begin');
      await writer.query(`update content.article set excerpt = 'By a writer' where id = $1`, [id]);
      return writer;
    }),
  );
  for (const [place, end, expected] of [
    [2, 'commit', [`+article:${third}`]],
    [0, 'rollback', []],
    [1, 'commit', [`+article:${second}`]],
  ] as const) {
    await writers[place]?.query(end);
    const page = await changesSince(cursor);
    expect(page.changes).toEqual(expected);
    cursor = page.cursor;
  }
});

describe('redirects', () => {
  const add = async (from: string, to: string): Promise<number> =>
    (await content.client.post('/api/redirects', { from, to })).body.data.id;
  /** Gives something another slug, and returns the id of the former one. */
  const move = async (path: string, slug: string): Promise<number> => {
    const { status, text } = await content.client.patch(`/api/${path}`, { slug });
    expect([status, text]).toEqual([200, text]);
    const { rows } = await query('select max(redirect_id) as id from content.former_slug');
    return rows[0].id;
  };

  test('and former slugs are in the copies that ask for them alone', async () => {
    const { id } = await content.client.article({ title: 'First', is_published: true });
    const slug = await move(`articles/${id}`, 'second');
    const draft = await content.client.article({ title: 'Withdrawn', is_published: true });
    await move(`articles/${draft.id}`, 'hidden');
    await content.client.patch(`/api/articles/${draft.id}`, { is_published: false });
    const made = await add('/old', '/new');
    const { items } = await snapshot('redirects=true&limit=1');
    expect(items.slice(-2)).toEqual([
      {
        kind: 'redirect',
        id: made,
        from: '/old',
        to: '/new',
        status: 301,
        source: 'manual',
        updated_at: expect.stringMatching(/Z$/),
      },
      { kind: 'former_slug', id: slug, page: 'article', page_id: id, slug: 'first' },
    ]);
    expect((await snapshot('limit=1')).items.map(({ kind }) => kind)).toEqual(['article']);

    const { meta } = await read(`${SNAPSHOT}?fields=full&redirects=true&limit=1`);
    expect(meta).toMatchObject({ fields: 'full', redirects: true });
    expect((await read(SNAPSHOT)).meta).not.toHaveProperty('redirects');
    expect((await read(`${SNAPSHOT}?page=${meta.next_page}`)).data[0].kind).toBe('redirect');
    for (const other of ['fields=full', 'redirects=true']) {
      const { status, body } = await content.client.anonymously(
        `${SNAPSHOT}?${other}&page=${meta.next_page}`,
      );
      expect([other, status, body.code]).toEqual([other, 400, 'invalid_cursor']);
    }
  });

  test('are followed as they change, and cost other copies nothing', async () => {
    const { id } = await content.client.article({ title: 'Third', is_published: true });
    const { id: group } = await content.client.category({ name: 'Port' });
    const other = await cursorNow();
    let at = await cursorNow('&redirects=true');
    // A change counts by itself: an earlier one of the same row would show the row as it is now.
    const since = async () => {
      const { changes, cursor } = await changesSince(at);
      at = cursor;
      return changes;
    };
    const made = await add('/old', '/new');
    await content.client.patch(`/api/redirects/${made}`, { to: '/newer' });
    expect([await since(), (await changesSince(other)).changes]).toEqual([[`+redirect:${made}`], []]);

    const slug = await move(`articles/${id}`, 'fourth');
    const ofGroup = await move(`categories/${group}`, 'harbour');
    const article = `article:${id}`;
    expect((await since()).toSorted()).toEqual(
      [`+${article}`, `+category:${group}`, `+former_slug:${slug}`, `+former_slug:${ofGroup}`].toSorted(),
    );
    await content.client.patch(`/api/articles/${id}`, { is_published: false });
    expect(await since()).toEqual(expect.arrayContaining([`-${article}`, `-former_slug:${slug}`]));
    await content.client.patch(`/api/articles/${id}`, { is_published: true });
    expect(await since()).toEqual(expect.arrayContaining([`+${article}`, `+former_slug:${slug}`]));
    await content.client.delete(`/api/articles/${id}`);
    expect(await since()).toEqual(expect.arrayContaining([`-${article}`, `-former_slug:${slug}`]));
    await content.client.post(`/api/articles/${id}/restore`, {});
    expect(await since()).toEqual(expect.arrayContaining([`+${article}`, `+former_slug:${slug}`]));
    await move(`articles/${id}`, 'third');
    await content.client.delete(`/api/redirects/${made}`);
    await content.client.delete(`/api/categories/${group}`);
    expect(await since()).toEqual(
      expect.arrayContaining([`-redirect:${made}`, `-former_slug:${slug}`, `-former_slug:${ofGroup}`]),
    );
    expect((await changesSince(other)).changes.toSorted()).toEqual([`+${article}`, `-category:${group}`]);
    await expect(query('truncate content.former_slug')).rejects.toThrow('use DELETE');
    const again = await add('/again', '/new');
    await query('truncate content.redirect');
    expect(await since()).toContain(`-redirect:${again}`);
  });

  test('that change drop cached answers', async () => {
    const cursor = await cursorNow('&redirects=true');
    const elsewhere = async () => (await send(`${cached.url}${CHANGES}?cursor=${cursor}`)).body.data.length;
    expect(await elsewhere()).toBe(0);
    await add('/cached', '/new');
    await until('the other replica has it', async () => (await elsewhere()) === 1);
  });
});

describe('pages', () => {
  test('10,000 articles with bodies take fewer than 20 requests, each no larger than 8 MiB', async () => {
    await insert(10_000, `'<p>' || repeat(md5(n::text), 200) || '</p>'`, true);
    const { items, requests } = await snapshot('fields=full');
    expect(new Set(named(items)).size).toBe(10_000);
    expect(requests).toBeLessThan(20);
  });

  test('a page ends before 8 MiB, but never without an article, and drafts take no place', async () => {
    const mebibytes = (count: number) => `repeat('0123456789abcdef', ${count} * 65536)`;
    let cursor = await cursorNow('&fields=full');
    await insert(5, mebibytes(3), true);
    await insert(1, mebibytes(9), true);
    await insert(1, mebibytes(1), true);
    const sizes: number[] = [];
    let page = '';
    do {
      const { data, meta } = await read(`${SNAPSHOT}?fields=full${page}`);
      sizes.push(data.length);
      page = meta.next_page === null ? '' : `&page=${meta.next_page}`;
    } while (page !== '');
    expect(sizes.reduce((sum, size) => sum + size)).toBe(7);
    expect(Math.max(...sizes)).toBe(2);
    // The same of changes.
    await query(
      `insert into content.ledger_change (item_id) select 'article:' || id from content.article order by id`,
    );
    await query(`insert into content.ledger_change (item_id) values ('article:1000000')`);
    const changes: number[] = [];
    for (let more = true; more; ) {
      const { data, meta } = await read(`${CHANGES}?cursor=${cursor}`);
      changes.push(data.length);
      ({ cursor, has_more: more } = meta);
    }
    expect(changes).toEqual([2, 2, 1, 1, 2]);
  });

  test('however small they are, the pages of a snapshot have every item once, in order', async () => {
    for (const name of ['Here', 'There']) await content.client.category({ name });
    await content.client.post('/api/tags', { name: 'Beets' });
    await insert(7, `'x'`);
    const whole = named((await snapshot('')).items);
    expect(whole.map((name) => name.replace(/\d+/, ''))).toEqual([
      ...['category:', 'category:', 'tag:'],
      ...Array.from({ length: 7 }, () => 'article:'),
    ]);
    for (const limit of [1, 2, 3, 9, 10]) {
      const { items, requests } = await snapshot(`limit=${limit}`);
      expect(named(items)).toEqual(whole);
      expect(requests).toBe(Math.ceil(10 / limit));
    }
  });

  test('what is written while a snapshot is read is in it or in the changes', async () => {
    const { rows } = await query(
      `insert into content.article (title, slug, content, author, title_words, is_published, published_at)
       select 'One', 'one-' || n, 'x', 'x', '{}', true, now() - interval '1 hour' * n from generate_series(1, 6) as n
       returning id`,
    );
    const ids = rows.map(({ id }) => id);
    const first = await read(`${SNAPSHOT}?limit=2`);
    // One that was read, the last one of the page, and others that were not.
    await query(`update content.article set title = 'Other' where id = any($1)`, [[ids[0], ids[4]]]);
    await query('delete from content.article where id = any($1)', [[ids[1], ids[3]]]);
    await query(`update content.article set published_at = now() where id = $1`, [ids[5]]);
    const rest = await read(`${SNAPSHOT}?limit=1000&page=${first.meta.next_page}`);
    expect(rest.meta.cursor).toBe(first.meta.cursor);
    expect(rest.meta.as_of).toBe(first.meta.as_of);
    const copy = new Map([...first.data, ...rest.data].map((item) => [item.id, item.title]));
    const { data } = await read(`${CHANGES}?cursor=${first.meta.cursor}`);
    for (const { op, id, item } of data) {
      if (op === 'remove') copy.delete(id);
      else copy.set(item.id, item.title);
    }
    expect(copy).toEqual(
      new Map([
        [ids[0], 'Other'],
        [ids[2], 'One'],
        [ids[4], 'Other'],
        [ids[5], 'One'],
      ]),
    );
  });
});

describe('cursors', () => {
  /** A cursor with that place; whoever knows how they are made can make them. */
  function forged(cursor: string, place: string): string {
    const bytes = Buffer.concat([Buffer.from(cursor, 'base64url').subarray(0, 23), Buffer.from(place)]);
    return Buffer.concat([bytes, hash('sha256', bytes, 'buffer').subarray(0, 6)]).toString('base64url');
  }

  /** Begins with the database's random epoch, which is any character. */
  const otherFirst = (page: string) => page.replace(/^./, (first) => (first === 'Z' ? 'Y' : 'Z'));

  test('that the service did not make, or cannot honour, are 409 snapshot_required', async () => {
    await insert(3, `'x'`);
    const { meta } = await read(`${SNAPSHOT}?limit=1`);
    const page = meta.next_page;
    const hostile = [
      ...[meta.cursor, 'x', 'A'.repeat(512), page.slice(0, -1), `${page}A`, otherFirst(page)],
      ...['', 'article', 'article 1', '\u0000', 'user 1 1', 'category  99999999999', 'article 1 0'].map(
        (place) => forged(page, place),
      ),
    ];
    const statuses = (path: string, values: string[]) =>
      Promise.all(
        values.map(async (value) => {
          const { status, body } = await content.client.anonymously(path + encodeURIComponent(value));
          return [value, status, body.code];
        }),
      );
    const refused = (values: string[]) => values.map((value) => [value, 409, 'snapshot_required']);
    expect(await statuses(`${SNAPSHOT}?page=`, hostile)).toEqual(refused(hostile));
    const sync = [page, ...hostile.slice(1)];
    expect(await statuses(`${CHANGES}?cursor=`, sync)).toEqual(refused(sync));
    const places = [
      'article  1',
      'category 5 1',
      'article 999999999999999 4294967295',
      'article -99999999999999 1',
    ];
    for (const [, status] of await statuses(
      `${SNAPSHOT}?page=`,
      places.map((place) => forged(page, place)),
    )) {
      expect(status).toBe(200);
    }
    const ahead = Buffer.from(meta.cursor, 'base64url').subarray(0, -6);
    ahead.writeUIntBE(2 ** 40, 11, 6);
    const sealed = Buffer.concat([ahead, hash('sha256', ahead, 'buffer').subarray(0, 6)]).toString(
      'base64url',
    );
    expect(await statuses(`${CHANGES}?cursor=`, [sealed])).toEqual(refused([sealed]));
  });

  test('of another database or from before a new epoch are refused, and the new snapshot is there at once', async () => {
    const at = async (path: string) => send(`${cached.url}${path}`);
    const before = await at(SNAPSHOT);
    const cursor = before.body.meta.cursor;
    expect((await at(`${CHANGES}?cursor=${cursor}`)).status).toBe(200);
    const elsewhere = await contentFixture();
    onTestFinished(() => elsewhere.close());
    const other = await elsewhere.client.anonymously(`${CHANGES}?cursor=${cursor}`);
    expect([other.status, other.body.code]).toEqual([409, 'snapshot_required']);
    await operate('new-epoch');
    await until(
      'the cursor is refused',
      async () => (await at(`${CHANGES}?cursor=${cursor}`)).status === 409,
    );
    const after = (await at(SNAPSHOT)).body.meta.cursor;
    expect(after).not.toBe(cursor);
    expect((await at(`${CHANGES}?cursor=${after}`)).status).toBe(200);
  });

  test('keep the form of their snapshot', async () => {
    await insert(2, `'x'`);
    expect(await operate('status')).toMatch(/^in the set 2$.*^waiting +2$/ms);
    const { meta } = await read(`${SNAPSHOT}?fields=full&limit=1`);
    const other = await content.client.anonymously(`${SNAPSHOT}?fields=default&page=${meta.next_page}`);
    expect([other.status, other.body.code]).toEqual([400, 'invalid_cursor']);
    expect((await read(`${SNAPSHOT}?page=${meta.next_page}`)).data[0].content).toBe('x');
    await query(`update content.article set excerpt = 'y'`);
    const { data } = await read(`${CHANGES}?cursor=${meta.cursor}`);
    expect(data.map(({ item }: JsonBody) => item.content)).toEqual(['x', 'x']);
  });
});

test('answers have validators and the lifetime of public reads, and with a key are private', async () => {
  const { id } = await content.client.article({ is_published: true });
  const path = `${CHANGES}?cursor=${await cursorNow()}`;
  for (const url of [SNAPSHOT, path]) {
    const first = await send(cached.url + url);
    const headers = (answer: Answer) =>
      ['cache-control', 'vary', 'etag'].map((name) => answer.headers.get(name));
    expect(headers(first).slice(0, 2)).toEqual([
      'public, max-age=0, s-maxage=60, stale-while-revalidate=60',
      'X-API-Key, Authorization',
    ]);
    const etag = first.headers.get('etag') ?? '';
    const again = await send(cached.url + url, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text, ...headers(again)]).toEqual([304, '', ...headers(first)]);
    const withKey = await send(cached.url + url, { headers: { 'x-api-key': content.key } });
    expect([withKey.status, withKey.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(withKey.text).toBe(first.text);
    const wrong = await send(cached.url + url, { headers: { 'x-api-key': 'pk_wrong' } });
    expect(wrong.status).toBe(403);
    const head = await send(cached.url + url, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag]);
    await content.client.patch(`/api/articles/${id}`, { excerpt: `Changed for ${url}` });
    await until('the answer is another', async () => {
      const { status } = await send(cached.url + url, { headers: { 'if-none-match': etag } });
      return status === 200;
    });
  }
  for (const bad of [
    '?limit=0',
    '?limit=1001',
    '?fields=content',
    '?redirects=false',
    '?fields=full&fields=full',
    '?q=x',
    '?page=',
  ]) {
    const { status, body } = await content.client.anonymously(SNAPSHOT + bad);
    expect([bad, status, typeof body.detail]).toEqual([bad, bad === '?page=' ? 409 : 400, 'string']);
  }
  expect((await content.client.anonymously(CHANGES)).status).toBe(400);
});
