import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import type { JsonBody } from '../support/http.ts';
import { until } from '../support/until.ts';

/** Random histories to run; `pnpm test:long` sets more. */
const HISTORIES = Number(process.env.REVISION_HISTORIES ?? 100);

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture({ CONTENT_HTML: 'trusted' });
  for (const slug of ['a', 'b', 'c']) await content.client.post('/api/tags', { name: slug, slug });
});
afterAll(() => content.close());

const BODY = '<p>Enough characters of text for an article to be accepted, and: ';

const text = fc
  .string({ unit: 'binary', maxLength: 20 })
  .filter((one) => !one.includes('\0') && one.isWellFormed());
const members = fc
  .record(
    {
      title: fc.constantFrom('One title', 'Another', 'Une troisième'),
      content: text.map((more) => BODY + more),
      excerpt: fc.option(fc.constantFrom('In short', 'In other words')),
      author: fc.constantFrom('Ada', 'Grace'),
      tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
      extra: fc.option(fc.constantFrom({ a: 1 }, { b: [1, { c: 'Ä' }] })),
      is_published: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .filter((changes) => Object.keys(changes).length > 0);
const STEP = fc.oneof(
  fc.record({ does: fc.constant('patch' as const), changes: members }),
  fc.record({ does: fc.constant('sql' as const), contents: fc.array(text, { minLength: 1, maxLength: 3 }) }),
  fc.record({ does: fc.constant('restore' as const), place: fc.nat() }),
  fc.record({ does: fc.constant('delete and restore' as const) }),
  fc.record({ does: fc.constant('save' as const), changes: members }),
  fc.record({ does: fc.constant('publish' as const) }),
);

type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

/** Members that revisions of an article have. */
const RECORDED = 'title slug content excerpt author is_published published_at tags extra'.split(' ');

/** An article as it is, by what a revision of it has. */
async function stateOf(id: number): Promise<JsonBody> {
  const { body } = await content.client.send(`/api/articles/${id}?include=tags,extra`);
  return said(body.data);
}

function said(article: JsonBody): JsonBody {
  const state: JsonBody = { ...article, tags: article.tags.map(({ slug }: JsonBody) => slug) };
  return Object.fromEntries(RECORDED.map((member) => [member, state[member]]));
}

/** An article as anybody sees it, null if it is not shown. */
async function shownOf(id: number): Promise<JsonBody | null> {
  const { status, body } = await content.client.anonymously(`/api/articles/${id}?include=tags,extra`);
  return status === 200 ? said(body.data) : null;
}

/** Takes a step, and returns what the article says after it if that is known. */
async function take(id: number, step: Step, states: readonly JsonBody[]): Promise<JsonBody> {
  const { client, database } = content;
  const copy = `/api/articles/${id}/working-copy`;
  const now = states.at(-1) ?? {};
  if (step.does === 'save') {
    const { is_published, ...changes } = { excerpt: null, ...step.changes };
    expect((await client.put(copy, changes)).status).toBe(now.is_published ? 200 : 409);
    return now;
  }
  if (step.does === 'publish') {
    const { status, body } = await client.send(copy);
    const { headers } = await client.send(`/api/articles/${id}`);
    const etag = { 'if-match': String(headers.get('etag')) };
    const answer = await client.send(`${copy}/publish`, { method: 'POST', headers: etag });
    const expected = now.is_published ? 200 : 409;
    expect(answer.status).toBe(status === 200 ? expected : 404);
    return answer.status === 200 ? { ...now, ...body.data.changes } : now;
  }
  const done = async (answer: Promise<{ status: number }>) => expect((await answer).status).toBe(200);
  if (step.does === 'patch') {
    await done(client.patch(`/api/articles/${id}`, step.changes));
    return step.changes;
  }
  if (step.does === 'restore') {
    const revision = 1 + (step.place % (states.length - 1));
    await done(client.post(`/api/articles/${id}/revisions/${revision}/restore`, {}));
    const { slug, is_published, published_at, ...restored } = states[revision] ?? {};
    return restored;
  }
  if (step.does === 'delete and restore') {
    await done(client.delete(`/api/articles/${id}`));
    await done(client.post(`/api/articles/${id}/restore`, {}));
    return now;
  }
  const changes = step.contents.map((more) => ({ content: BODY + more, excerpt: null }));
  const session = await database.pool.connect();
  await session.query('begin');
  for (const { content: body } of changes)
    await session.query('update content.article set content = $2, excerpt = null where id = $1', [id, body]);
  await session.query('commit');
  session.release();
  return changes.at(-1) ?? {};
}

test(
  `each revision of ${HISTORIES} random histories is what the article said then, and nobody sees what is not published`,
  async () => {
    const { client, database } = content;
    const history = fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 8 }), async (steps) => {
      const { id } = await client.article({ title: 'One title', content: BODY });
      // By the numbers of the revisions, which begin at 1.
      const states = [{}, await stateOf(id)];
      for (const step of steps) {
        const expected = await take(id, step, states);
        const state = await stateOf(id);
        expect(state).toMatchObject(expected);
        const shown = state.is_published ? state : null;
        // The service itself does not see what SQL writes: its caches are told a moment later.
        if (step.does === 'sql') {
          await until('the change is shown', async () => isDeepStrictEqual(await shownOf(id), shown));
        }
        expect(await shownOf(id)).toEqual(shown);
        const { rows } = await database.pool.query('select revision from content.article where id = $1', [
          id,
        ]);
        const { revision } = rows[0];
        expect([states.length - 1, states.length]).toContain(revision);
        if (revision < states.length) expect(state).toEqual(states[revision]);
        else states.push(state);
      }
      for (const [revision, state] of states.entries()) {
        if (revision === 0) continue;
        const { body } = await client.send(`/api/articles/${id}/revisions/${revision}`);
        expect(body.data.article).toMatchObject(state);
      }
    });
    await fc.assert(history, { numRuns: HISTORIES });
  },
  HISTORIES * 60_000,
);
