import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ContentFixture,
  contentFixture,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import { articleBody, ContentClient } from '../support/content-client.ts';
import { until } from '../support/until.ts';

let content: ContentFixture;
let replica: RunningContent;
let crowded: RunningContent[];
beforeAll(async () => {
  content = await contentFixture();
  // Even on a slow machine, no request fails because it waited for a connection.
  const patience = { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };
  replica = await startContent(content.database.url);
  crowded = [
    await startContent(content.database.url, patience),
    await startContent(content.database.url, patience),
  ];
});
afterAll(async () => {
  for (const service of [replica, ...crowded]) await service.close();
  await content.close();
});

/** Writers that alternate between the replicas. */
const writer = (index: number) => new ContentClient(index % 2 === 0 ? content.url : replica.url, content.key);

/** Like {@link writer}, on replicas that let many requests wait. */
const patient = (index: number) => new ContentClient(crowded[index % 2]?.url ?? '', content.key);

describe('concurrent creates with the same title', () => {
  test('get distinct slugs, numbered without a gap', async () => {
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, index) => patient(index).publish({ title: 'Same Title' })),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(24).fill(201));
    const slugs = made.map(({ body }) => body.data.slug).sort();
    const expected = [
      'same-title',
      ...Array.from({ length: 23 }, (_, index) => `same-title-${index + 2}`),
    ].sort();
    expect(slugs).toEqual(expected);
  });

  test('all succeed, two hundred of them', async () => {
    const made = await Promise.all(
      Array.from({ length: 200 }, (_, index) => patient(index).publish({ title: 'Crowd' })),
    );
    expect(made.filter(({ status }) => status !== 201)).toEqual([]);
    const numbers = made.map(({ body }) => Number(/^crowd-?(\d*)$/.exec(body.data.slug)?.[1] || 1));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  });

  test('all succeed for titles whose numbered slugs collide', async () => {
    const titles = ['Meet', 'Meet 2', 'Meet', 'Meet 3', 'Meet', 'Meet 2'];
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        patient(index).publish({ title: titles[index % titles.length] ?? '' }),
      ),
    );
    expect(made.filter(({ status }) => status !== 201)).toEqual([]);
    expect(new Set(made.map(({ body }) => body.data.slug)).size).toBe(60);
  });

  test('all succeed for categories with the same name, and once for a given slug', async () => {
    const make = (index: number, body: object) => patient(index).post('/api/categories', body);
    const named = await Promise.all(Array.from({ length: 50 }, (_, index) => make(index, { name: 'Group' })));
    expect(named.filter(({ status }) => status !== 201)).toEqual([]);
    expect(new Set(named.map(({ body }) => body.data.slug)).size).toBe(50);
    const given = await Promise.all(
      Array.from({ length: 20 }, (_, index) => make(index, { name: 'Given', slug: 'given' })),
    );
    expect(given.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  test('with one Idempotency-Key create one article', async () => {
    const post = (index: number) =>
      writer(index).send('/api/articles', {
        method: 'POST',
        json: articleBody({ title: 'Once only' }),
        headers: { 'idempotency-key': 'k-1' },
      });
    const made = await Promise.all(Array.from({ length: 10 }, (_, index) => post(index)));
    expect(made.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1);
    expect(made.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(9);
  });

  test('concurrent renames of drafts to the same title keep slugs unique', async () => {
    const drafts = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        writer(index).publish({ title: `Draft ${index}`, is_published: false }),
      ),
    );
    const renamed = await Promise.all(
      drafts.map(({ body }, index) =>
        writer(index).patch(`/api/articles/${body.data.id}`, { title: 'One Name' }),
      ),
    );
    expect(renamed.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(renamed.map(({ body }) => body.data.slug)).size).toBe(8);
  });
});

describe('the deletion of a category', () => {
  test('races with inserts into it and never leaves an article without its category', async () => {
    for (let round = 0; round < 15; round += 1) {
      const category = (await writer(round).category({ name: `Category ${round}` })).id;
      const [removed, ...made] = await Promise.all([
        writer(round).delete(`/api/categories/${category}`),
        writer(round + 1).publish({ title: `In ${round}`, category_id: category }),
        writer(round).publish({ title: `In ${round}`, category_id: category }),
      ]);
      const created = made.filter(({ status }) => status === 201);
      expect(made.every(({ status }) => status === 201 || status === 422)).toBe(true);
      expect(removed.status).toBe(created.length > 0 ? 409 : 200);
      const { rows } = await content.database.pool.query(
        'select count(*)::int as orphans from content.article where category_id = $1 and not exists (select from content.category where id = $1)',
        [category],
      );
      expect(rows[0].orphans).toBe(0);
    }
  });

  test('waits for an insert that has not committed yet, and then refuses', async () => {
    const category = (await writer(0).category({ name: 'Slow insert' })).id;
    const client = new pg.Client({ connectionString: content.database.url });
    await client.connect();
    await client.query('begin');
    await client.query(
      `insert into content.article (title, slug, content, category_id, author, title_words)
       values ('Slow', 'slow', 'x', $1, 'x', '{}')`,
      [category],
    );
    const deletion = writer(0).delete(`/api/categories/${category}`);
    await until('the deletion waits', async () => {
      const { rows } = await content.database.pool.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows.length > 0;
    });
    await client.query('commit');
    await client.end();
    expect((await deletion).status).toBe(409);
  });
});

describe('two concurrent changes of an article', () => {
  test('with the same If-Match: one succeeds, the other is refused', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { body } = await writer(round).publish({ title: `Edited ${round}` });
      const path = `/api/articles/${body.data.id}`;
      const { headers } = await writer(round).send(path);
      const precondition = { 'if-match': headers.get('etag') ?? '' };
      const changes = await Promise.all(
        [0, 1].map((index) =>
          writer(index).send(path, {
            method: 'PATCH',
            json: { excerpt: `Editor ${index}` },
            headers: precondition,
          }),
        ),
      );
      expect(changes.map(({ status }) => status).sort()).toEqual([200, 412]);
      const winner = changes.findIndex(({ status }) => status === 200);
      const { body: read } = await writer(round).send(path);
      expect(read.data.excerpt).toBe(`Editor ${winner}`);
    }
  });

  test('of different members: both are kept', async () => {
    const { body } = await writer(0).publish({ title: 'Two members' });
    const path = `/api/articles/${body.data.id}`;
    await Promise.all([
      writer(0).patch(path, { excerpt: 'From one' }),
      writer(1).patch(path, { meta_title: 'From the other' }),
    ]);
    const { body: read } = await writer(0).send(path);
    expect(read.data).toMatchObject({ excerpt: 'From one', meta_title: 'From the other' });
  });

  test('the later one tells what it changed of what the earlier one has left', async () => {
    const { body } = await writer(0).publish({ title: 'Waited for', excerpt: 'Before' });
    const client = new pg.Client({ connectionString: content.database.url });
    await client.connect();
    await client.query('begin');
    await client.query(
      `update content.article set excerpt = 'Both', meta_title = 'Earlier' where id = ${body.data.id}`,
    );
    const change = { excerpt: 'Both', meta_title: 'Later', alt_text: null };
    const later = writer(0).patch(`/api/articles/${body.data.id}`, change);
    await until('the later one waits', async () => {
      const { rows } = await content.database.pool.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows.length > 0;
    });
    await client.query('commit');
    await client.end();
    expect((await later).body.data).toEqual({ id: body.data.id, meta_title: 'Later' });
  });
});

test('concurrent moves between two categories in both directions do not deadlock, and the counts are right', async () => {
  const [{ id: left }, { id: right }] = await Promise.all([
    writer(0).category({ name: 'Left' }),
    writer(1).category({ name: 'Right' }),
  ]);
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      writer(index).publish({ title: `Mover ${index}`, category_id: index % 2 === 0 ? left : right }),
    ),
  );
  for (let round = 0; round < 4; round += 1) {
    const moved = await Promise.all(
      made.map(({ body }, index) =>
        writer(index).patch(`/api/articles/${body.data.id}`, {
          category_id: (index + round) % 2 === 0 ? right : left,
        }),
      ),
    );
    expect(moved.map(({ status }) => status)).toEqual(Array(12).fill(200));
  }
  const { rows } = await content.database.pool.query(
    `select category_id, is_published, count(*)::int as articles from content.article group by 1, 2`,
  );
  const kept = await content.database.pool.query(
    `select id as category_id, is_published, articles::int from content.list_count
     where kind = 'category' and period = 'all' and articles > 0`,
  );
  const sorted = (list: { category_id: number }[]) =>
    list
      .filter(({ category_id }) => category_id !== null)
      .map((row) => JSON.stringify(row))
      .sort();
  expect(sorted(kept.rows)).toEqual(sorted(rows));
});
