import { afterAll, beforeAll, expect, test } from 'vitest';
import { startContent } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { type Answer, type JsonBody, send } from '../support/http.ts';
import { startNewsroom } from '../support/news-desk.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

const ROLES = ['owner', 'editor', 'photographer', 'writer', 'reader'] as const;

type Role = (typeof ROLES)[number];

/** The roles for each of the gallery's own routes that does more than show something. */
const GALLERY: Readonly<Record<string, readonly Role[]>> = {
  ...rights(
    ['owner'],
    ['GET /api/people', 'GET /api/people/{id}', 'POST /api/people', 'PATCH /api/people/{id}'],
  ),
  ...rights(
    ['owner'],
    ['DELETE /api/people/{id}', 'DELETE /api/people/{id}/factors', 'POST /api/people/{id}/invitation'],
  ),
  ...rights(['owner'], ['GET /api/trail', 'GET /api/trail.csv', 'GET /api/desk/operations']),
  ...rights(['owner'], ['GET /api/settings/buckets', 'POST /api/settings/buckets']),
  ...rights(['owner'], ['GET /api/settings', 'PATCH /api/settings', 'POST /api/settings/mail/test']),
  ...rights(
    ['owner', 'editor', 'photographer', 'writer'],
    ['POST /api/upload', 'POST /api/upload/sign', 'POST /api/upload/multipart'],
  ),
  ...rights(
    ['owner', 'editor', 'photographer'],
    [
      'GET /api/desk/writers',
      'POST /api/gallery/batches/{id}/resume',
      'POST /api/gallery/folder',
      'POST /api/gallery/uses/move',
      'POST /api/gallery/rename',
      'POST /api/gallery/delete',
      'POST /api/gallery/batch',
    ],
  ),
};

/** Routes that change nothing, open to everybody. */
const LOOKING = [
  'GET /api/desk',
  'GET /api/gallery',
  'GET /api/gallery/archives/{id}',
  'GET /api/gallery/batches',
  'GET /api/gallery/batches/{id}',
  'GET /api/gallery/folder-preview',
  'GET /api/gallery/media',
  'GET /api/gallery/trash',
  'GET /api/presence',
  'GET /api/presence/events',
  'PUT /api/presence/{tab}',
  'DELETE /api/presence/{tab}',
  'GET /api/proxy',
  'POST /api/gallery',
  'POST /api/gallery/archives',
  'POST /api/gallery/lookup',
  'POST /api/gallery/uses',
];

/** One's own account, which everybody changes. */
const OWN = /^(GET|POST|PUT|PATCH|DELETE) \/api\/(me|logout)\b/;

/** The scopes that writers need of content; other writes need `publish`. */
const WRITERS = ['write', 'read'];

function rights(roles: readonly Role[], routes: readonly string[]): Record<string, readonly Role[]> {
  return Object.fromEntries(routes.map((route) => [route, roles]));
}

let gallery: GalleryFixture;
let database: TestDatabase;
let closings: (() => Promise<unknown>)[] = [];
const descriptions: Record<'gallery' | 'content' | 'newsroom', JsonBody> = {} as never;
const cookies = new Map<Role, string>();

beforeAll(async () => {
  database = await createTestDatabase();
  const content = await startContent(database.url, { DESK_KEY });
  const newsroom = await startNewsroom(database.url);
  gallery = await galleryFixture({ CONTENT_URL: content.url, NEWSROOM_URL: newsroom.url, DESK_KEY });
  closings = [gallery.close, newsroom.stop, content.close, () => database.drop()];
  descriptions.gallery = (await send(`${gallery.url}/openapi.json`)).body;
  descriptions.content = (await send(`${content.url}/openapi.json`)).body;
  descriptions.newsroom = (await send(`${newsroom.url}/openapi.json`)).body;
  for (const role of ROLES) {
    const { body } = await gallery.post('/api/people', {
      name: `The ${role}`,
      email: `${role}@example.org`,
      role,
    });
    const { headers } = await send(`${gallery.url}/api/invitation/accept`, {
      method: 'POST',
      json: { token: body.data.invitation.token, password: 'a password that nobody guesses' },
    });
    cookies.set(role, headers.getSetCookie()[0]?.split(';')[0] ?? '');
  }
});
afterAll(async () => {
  for (const close of closings) await close();
});

/** The operations of a description, such as `GET /api/people`. */
function operationsOf({ paths }: JsonBody): string[] {
  return Object.entries<JsonBody>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** Asks as somebody of this role, for something that is not there. */
function ask(role: Role, operation: string, prefix = ''): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    /^(id|edit|revision)$/.test(name) ? '0' : 'nothing',
  );
  const headers = { cookie: cookies.get(role) ?? '' };
  return send(`${gallery.url}${at.replace(/^\/api/, `/api${prefix}`)}`, { method, headers });
}

function refusal({ status, body }: Answer): string | undefined {
  return status === 403 ? body.code : undefined;
}

test('the gallery: every route has its roles, and refuses the others before it reads anything', async () => {
  const guarded = operationsOf(descriptions.gallery).filter((operation) => {
    const [method = '', path = ''] = operation.split(' ');
    return descriptions.gallery.paths[path][method.toLowerCase()].security?.length > 0;
  });
  expect(guarded.length).toBeGreaterThan(30);
  const unnamed = guarded.filter(
    (operation) => !(operation in GALLERY) && !LOOKING.includes(operation) && !OWN.test(operation),
  );
  expect(unnamed).toEqual([]);
  for (const operation of guarded.filter((one) => !/logout|\/me\/sessions$/.test(one))) {
    for (const role of ROLES) {
      const isAllowed = (GALLERY[operation] ?? ROLES).includes(role);
      const answer = await ask(role, operation);
      expect(refusal(answer), `${role} ${operation}`).toBe(isAllowed ? undefined : 'role_forbids');
      expect(answer.status, `${role} ${operation}`).not.toBe(401);
    }
  }
});

test('content: readers read, writers write, keys, hooks and settings are for owners, and the rest for editors', async () => {
  const { paths } = descriptions.content;
  const written = operationsOf(descriptions.content).filter((operation) => {
    const [method = '', path = ''] = operation.split(' ');
    // Owners read the audit in the trail.
    return path.startsWith('/api/') && !/\/(sync|audit)\b/.test(path) && method !== 'HEAD';
  });
  expect(written.length).toBeGreaterThan(40);
  for (const operation of written) {
    const [method = '', path = ''] = operation.split(' ');
    const { security } = paths[path][method.toLowerCase()];
    const isOwners = /\/(keys|hooks|site)\b/.test(path);
    const [needed] = (security as Record<string, string[]>[]).flatMap(({ apiKey = [] }) => apiKey);
    for (const role of ROLES) {
      const isAllowed =
        role === 'owner' ||
        (role === 'editor' && !isOwners) ||
        needed === undefined ||
        (role === 'writer' ? WRITERS.includes(needed) : needed === 'read');
      const answer = await ask(role, operation, '/desk/content');
      const refused = isOwners ? 'role_forbids' : 'insufficient_scope';
      const code = isAllowed ? undefined : refused;
      expect(refusal(answer), `${role} ${operation}: ${answer.text}`).toBe(code);
    }
  }
});

test('what an editor may not do is said as it is: the words of others are theirs', async () => {
  const as = (role: Role, method: string, path: string, json: object) =>
    send(`${gallery.url}/api/desk/content${path}`, {
      ...{ method, json },
      headers: { cookie: cookies.get(role) ?? '' },
    });
  const { id } = (await as('writer', 'POST', '/articles', articleBody())).body.data;
  for (const role of ROLES) {
    const { status, body } = await as(role, 'POST', `/articles/${id}/comments`, { text: `By the ${role}` });
    expect([status, body.data.key]).toEqual([201, { prefix: 'desk', name: `The ${role}` }]);
    const other = await as(
      role === 'owner' ? 'editor' : 'owner',
      'PATCH',
      `/articles/${id}/comments/${body.data.id}`,
      { text: 'Other words' },
    );
    expect([other.status, other.body.code, other.body.detail]).toEqual([
      403,
      'insufficient_scope',
      'only who wrote a comment changes its text',
    ]);
  }
});

test('the newsroom: owners and editors edit, the others look, and settings are for owners', async () => {
  const operations = operationsOf(descriptions.newsroom).filter((one) => one.includes(' /api/'));
  expect(operations.length).toBeGreaterThan(30);
  for (const operation of operations) {
    for (const role of ROLES) {
      const isOwners = operation.endsWith(' /api/settings');
      const mayEdit = operation.startsWith('GET ') || role === 'editor';
      const isAllowed = role === 'owner' || (mayEdit && !isOwners);
      const answer = await ask(role, operation, '/desk/newsroom');
      const refused = isOwners ? 'role_forbids' : 'insufficient_scope';
      const code = isAllowed ? undefined : refused;
      expect(refusal(answer), `${role} ${operation}: ${answer.text}`).toBe(code);
    }
  }
});

test('the trail of owners has what was done to articles and news, by whom, and by which key', async () => {
  const editor = { cookie: cookies.get('editor') ?? '' };
  const at = `${gallery.url}/api/desk`;
  const json = { ...articleBody({ is_published: true }), slug: 'in-the-trail' };
  const made = await send(`${at}/content/articles`, { method: 'POST', json, headers: editor });
  const { id } = made.body.data;
  expect((await send(`${at}/content/articles/${id}`, { method: 'DELETE', headers: editor })).status).toBe(
    200,
  );
  const source = { url: 'https://feeds.example/in-the-trail.xml' };
  const tried = await send(`${at}/newsroom/sources`, { method: 'POST', json: source, headers: editor });
  expect([tried.status, tried.text]).toEqual([201, expect.any(String)]);

  const read = async (query: string) => (await gallery.ask(`/api/trail?${query}`)).body.data;
  const [newest] = (await read('')).entries;
  expect(newest).toMatchObject({ person: 'The editor', action: 'news_add_source', object: {} });
  expect((await send(`${at}/newsroom/opml`, { headers: editor })).status).toBe(200);
  expect((await read('')).entries[0]).toMatchObject({ person: 'The editor', action: 'news_export_sources' });
  const owner = { cookie: cookies.get('owner') ?? '' };
  const set = { method: 'PATCH', json: { reportHour: 6 }, headers: owner };
  expect((await send(`${at}/newsroom/settings`, set)).status).toBe(200);
  expect((await read('')).entries[0]).toMatchObject({
    ...{ person: 'The owner', action: 'news_change_settings' },
    object: { reportHour: { before: 8, after: 6 } },
  });
  const { entries, next } = await read('of=articles&limit=1&action=article.');
  expect(entries).toMatchObject([
    { person: 'The editor', action: 'article.deleted', object: { article: id, slug: 'in-the-trail' } },
  ]);
  const older = await read(`of=articles&limit=1&action=article.&before=${next}`);
  expect(older.entries).toMatchObject([{ person: 'The editor', action: 'article.published' }]);
  expect((await read('of=articles&person=EDIT&action=article.')).entries).toHaveLength(2);
  expect((await read('of=articles&person=nobody')).entries).toEqual([]);
  expect((await gallery.ask('/api/trail?of=articles&before=7')).status).toBe(400);
  const csv = await gallery.ask('/api/trail.csv?of=articles&action=article.deleted');
  expect(csv.text).toContain(`,The editor,article.deleted,`);
});
