import { ApiKeyStore } from '@pressroom/content/api-keys';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/command.ts';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

const SCOPES = ['published', 'read', 'write', 'publish', 'full'] as const;
type Scope = (typeof SCOPES)[number];

let fixture: ContentFixture;
let store: ApiKeyStore;
const keys = new Map<Scope, string>();

beforeAll(async () => {
  fixture = await contentFixture();
  const db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool: fixture.database.pool }) });
  store = new ApiKeyStore(db);
  for (const scope of SCOPES) keys.set(scope, (await store.create({ name: scope, scope })).key);
});
afterAll(() => fixture.close());

/** Sends a request with a key of a scope, or with the key itself. */
function as(key: string, method: string, path: string, json?: object) {
  const headers = { 'x-api-key': keys.get(key as Scope) ?? key };
  return send(fixture.url + path, { method, headers, ...(json && { json }) });
}

const FORBIDDEN = { status: 403, code: 'insufficient_scope' };

test('every route has a scope, and only keys that have it get past it; none manages keys', async () => {
  const { paths } = (await send(`${fixture.url}/openapi.json`)).body;
  const cells: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, { security?: Record<string, string[]>[] }>>(
    paths,
  )) {
    for (const [method, { security = [] }] of Object.entries(methods)) {
      const [first] = security;
      if (first === undefined || Object.keys(first).length === 0) {
        expect([path, method]).toEqual([path, 'get']);
        continue;
      }
      const [needed] = first.apiKey ?? [];
      expect([path, method, needed]).toEqual([
        path,
        method,
        expect.stringMatching(/^(read|write|publish|full)$/),
      ]);
      for (const scope of SCOPES) {
        // Past the scope, the request fails for its body or because nothing is there.
        const { status, body } = await as(
          scope,
          method.toUpperCase(),
          path.replace(/\{.*?\}/g, '999999'),
          method === 'get' ? undefined : {},
        );
        const isOfDesk = /^\/api\/(keys|site)|\/comments\b/.test(path);
        const allowed = !isOfDesk && SCOPES.indexOf(scope) >= SCOPES.indexOf(needed as Scope);
        const missing = isOfDesk ? 'at the desk' : `scope ${needed}`;
        expect([scope, method, path, body.code === FORBIDDEN.code]).toEqual([scope, method, path, !allowed]);
        if (!allowed) expect(body).toMatchObject({ ...FORBIDDEN, detail: expect.stringContaining(missing) });
        else expect(status).not.toBe(403);
        cells.push(`${scope} ${method} ${path}`);
      }
    }
  }
  expect(cells.length).toBeGreaterThanOrEqual(4 * 8);
});

describe('what the article decides', () => {
  test('published sees what readers see, and has the rate of keys', async () => {
    const { id, slug } = await fixture.client.article({});
    const { id: shown } = await fixture.client.article({ is_published: true });
    const seen = await as('published', 'GET', `/api/articles/${shown}`);
    expect([seen.status, seen.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    for (const path of [`/api/articles/${id}`, `/api/articles/by-slug/${slug}`]) {
      expect((await as('published', 'GET', path)).status).toBe(404);
    }
    const listed = (await as('published', 'GET', '/api/articles?per_page=100')).body.data;
    expect(listed.map((article: { id: number }) => article.id)).not.toContain(id);
    for (const query of [
      '?status=draft',
      '?status=all',
      '?include=schedule',
      `/${shown}?include=working_copy`,
    ]) {
      const { status, body } = await as('published', 'GET', `/api/articles${query}`);
      expect({ query, status, code: body.code }).toEqual({ query, ...FORBIDDEN });
    }
  });

  test('where a preview is sent, its token alone decides, whatever key is sent with it', async () => {
    const { id, slug } = await fixture.client.article({});
    const { token } = (await as('full', 'POST', `/api/articles/${id}/previews`, {})).body.data;
    for (const scope of ['published', 'read', 'full'] as const) {
      for (const path of [`/api/articles/${id}`, `/api/articles/by-slug/${slug}`]) {
        expect((await as(scope, 'GET', `${path}?preview=${token}`)).status).toBe(200);
        for (const wrong of ['x', `${token}x`, '']) {
          const { status } = await as(scope, 'GET', `${path}?preview=${wrong}`);
          expect([scope, wrong, status]).toEqual([scope, wrong, wrong === '' ? expect.any(Number) : 404]);
          expect(status).not.toBe(200);
        }
      }
    }
  });

  test('read sees drafts, and has the rate of keys', async () => {
    const { id } = await fixture.client.article({});
    const { status, headers } = await as('read', 'GET', `/api/articles/${id}`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect((await as('read', 'GET', '/api/articles?status=draft')).status).toBe(200);
  });

  test('write creates and changes drafts, and neither publishes nor changes what is published', async () => {
    const made = await as('write', 'POST', '/api/articles', articleBody());
    expect(made.status).toBe(201);
    const draft = `/api/articles/${made.body.data.id}`;
    expect((await as('write', 'PATCH', draft, { excerpt: 'Better' })).status).toBe(200);
    const published = `/api/articles/${(await fixture.client.article({ is_published: true })).id}`;
    for (const [method, path, body] of [
      ['POST', '/api/articles', articleBody({ is_published: true })],
      ['PATCH', draft, { is_published: true }],
      ['PATCH', published, { excerpt: 'Mine' }],
      ['PATCH', published, { is_published: false }],
      ['DELETE', draft, undefined],
      ['DELETE', '/api/trash', undefined],
      ['DELETE', '/api/trash/1', undefined],
      ['POST', '/api/tags/1/merge', { into: 2 }],
      ['PUT', '/api/series/1/articles', { articles: [] }],
    ] as const) {
      expect((await as('write', method, path, body)).body).toMatchObject(FORBIDDEN);
    }
    expect((await as('publish', 'PATCH', draft, { is_published: true })).status).toBe(200);
    expect((await as('publish', 'DELETE', draft)).status).toBe(200);
  });

  test('a draft that is being published is not changed by who may only write drafts', async () => {
    const { pool } = fixture.database;
    const { id } = await fixture.client.article({});
    const editor = await pool.connect();
    try {
      await editor.query('begin');
      await editor.query(
        'update content.article set is_published = true, published_at = now() where id = $1',
        [id],
      );
      const change = as('write', 'PATCH', `/api/articles/${id}`, { excerpt: 'By a writer' });
      await until('the change waits for the row', async () => {
        const { rowCount } = await pool.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return rowCount === 1;
      });
      await editor.query('commit');
      expect((await change).body).toMatchObject(FORBIDDEN);
    } finally {
      editor.release();
    }
    const { data } = (await send(`${fixture.url}/api/articles/${id}`)).body;
    expect([data.is_published, data.excerpt]).toEqual([true, null]);
  });

  test('a key for one category writes its articles alone, and moves none in or out', async () => {
    const [mine, other] = [
      await fixture.client.category({ name: 'Mine' }),
      await fixture.client.category({ name: 'Other' }),
    ];
    const { key } = await store.create({ name: 'Local', scope: 'publish', category_id: mine.id });
    const made = await as(
      key,
      'POST',
      '/api/articles',
      articleBody({ category_id: mine.id, is_published: true }),
    );
    expect(made.status).toBe(201);
    const own = `/api/articles/${made.body.data.id}`;
    const foreign = `/api/articles/${(await fixture.client.article({ category_id: other.id })).id}`;
    const gone = (await fixture.client.article({ category_id: other.id })).id;
    await as('full', 'DELETE', `/api/articles/${gone}`);
    expect((await as(key, 'PATCH', own, { excerpt: 'Mine' })).status).toBe(200);
    for (const [method, path, body] of [
      ['POST', '/api/articles', articleBody({ category_id: other.id })],
      ['PUT', `${foreign}/assignee`, { author_id: null }],
      ['POST', '/api/articles', articleBody()],
      ['PATCH', own, { category_id: other.id }],
      ['PATCH', own, { category_id: null }],
      ['PATCH', foreign, { excerpt: 'Mine' }],
      ['PATCH', foreign, { category_id: mine.id }],
      ['DELETE', foreign, undefined],
      ['PATCH', `/api/categories/${mine.id}`, { name: 'Renamed' }],
      ['POST', '/api/categories', { name: 'New' }],
      ['DELETE', '/api/trash', undefined],
      ['DELETE', `/api/trash/${gone}`, undefined],
      ['POST', '/api/tags/1/merge', { into: 2 }],
      ['PUT', '/api/series/1/articles', { articles: [] }],
    ] as const) {
      const { body: answer } = await as(key, method, path, body);
      expect([method, path, answer]).toEqual([
        method,
        path,
        expect.objectContaining({ ...FORBIDDEN, detail: expect.stringContaining(`category ${mine.id}`) }),
      ]);
    }
    expect((await as(key, 'GET', '/api/articles?status=all')).status).toBe(200);
    expect((await as(key, 'DELETE', own)).status).toBe(200);
    expect((await as(key, 'DELETE', own.replace('articles', 'trash'))).status).toBe(200);
    await as('full', 'DELETE', `/api/categories/${mine.id}`);
    expect((await as(key, 'POST', '/api/articles', articleBody())).body).toMatchObject(FORBIDDEN);
  });
});

test('keys create --scope and --category, which keys list shows; without them a key may do everything', async () => {
  const cli = (...args: string[]) =>
    run(['services/content/src/cli.ts', 'keys', ...args], { env: { DATABASE_URL: fixture.database.url } });
  const { id } = await fixture.client.category({ name: 'Listed' });
  const made = await cli('create', '--name', 'Intern', '--scope', 'write', '--category', String(id));
  expect((await as(made.stdout.trim(), 'DELETE', '/api/articles/1')).body).toMatchObject(FORBIDDEN);
  const { stdout } = await cli('list');
  expect(stdout.split('\n').find((line) => line.includes('Intern'))).toMatch(new RegExp(`'write'.*${id}`));
  const full = await cli('create', '--name', 'Owner');
  expect((await as(full.stdout.trim(), 'DELETE', '/api/articles/999999')).status).toBe(404);
  for (const [args, why] of [
    [['--scope', 'admin'], '"admin" is not a scope: published, read, write, publish, full'],
    [['--scope', 'write', '--category', '999999'], 'category 999999 does not exist'],
    [['--category', String(id)], 'only a key with the scope write or publish'],
    [['--scope', 'write', '--category', 'x'], '"x" is not the id of a category'],
  ] as const) {
    const refused = await cli('create', '--name', 'x', ...args);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(why)]);
  }
});
