import { PRIVATE } from '@pressroom/common/caching/conditional';
import { violates } from '@pressroom/common/database/database';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { instant, integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { type Permitted, requireAnyCategory, requireArticle } from './api-keys.ts';
import { termIds } from './articles/detail.ts';
import { MOST_COUNTED, MOST_SEEN } from './articles/list-rows.ts';
import { articleCreatedAnswer, articlePath, articlePut, deletedAnswer } from './articles/schema.ts';
import { checkReferences, type OwnArticle, writtenIn } from './articles/store.ts';
import { subjectsOfChange } from './cache-subjects.ts';
import {
  type Actor,
  cursorEnvelope,
  envelope,
  keyMember,
  keyOf,
  success,
  successCursorPage,
  type Total,
  writtenBy,
} from './envelope.ts';
import { actorOf, logWrite, ownerOf, replyPrivately, writtenHeaders } from './requests.ts';
import { type ContentTables, membersOfJson, type RowAsJson } from './tables.ts';

const timestamp = z.iso.datetime({ offset: true });

/** A deleted article as the list shows it. */
const deletedArticle = z
  .object({
    id: z.int(),
    title: z.string(),
    slug: z.string(),
    category_id: z.int().nullable(),
    featured_image: z.string().nullable(),
    author: z.string(),
    is_published: z.boolean(),
    published_at: timestamp.nullable(),
    deleted_at: timestamp,
    key: keyMember,
  })
  .meta({ id: 'DeletedArticle' });

const trashQuery = z.strictObject({
  per_page: integerParameter(1, 100).default(20),
  cursor: integerParameter(1).optional().describe('`meta.next_cursor` of the page before.'),
});

const trashAnswer = cursorEnvelope(deletedArticle, z.int()).extend({
  meta: z.object({
    next_cursor: z.int().nullable().describe('Leads to the next page; null at the end.'),
    total: z.int(),
    total_is_exact: z.literal(false).optional().describe('Present if there may be more.'),
  }),
});

/** The articles to delete for good: all, or those that had been deleted when somebody looked. */
const emptyQuery = z.strictObject({
  deleted_until: instant('must be a time with an offset, such as 2026-11-23T08:00:00Z (a + is written %2B)')
    .optional()
    .describe('Leaves what was deleted after this time; `deleted_at` of the first of the list.'),
});

const emptiedAnswer = envelope(
  z.object({ deleted: z.int().describe('The number of articles that are gone.') }),
);

/** Body of a restore: members that should differ from the deleted article. */
const articleRestore = articlePut
  .pick({ category_id: true, tags: true, authors: true })
  .extend({ is_published: z.literal(false, 'must be false; or leave it out') })
  .partial()
  .nullish();

/** Members in which a restored article differs. */
type Differing = NonNullable<z.infer<typeof articleRestore>>;

/** Answer of a restore: that of a create. */
const articleRestoredAnswer = articleCreatedAnswer;

const TAGS = ['articles'];

/** The operations on deleted articles; `changed` as in `ArticleParts`. */
export function trashOperations(trash: Trash, changed: (subjects?: ReadonlySet<string>) => void) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listDeletedArticles',
      summary: 'List the deleted articles that can be restored, the last deleted first',
      description:
        'In pages by cursor. `POST /api/articles/{id}/restore` brings one back, with its id, slugs,' +
        ' dates and revisions.',
      querystring: trashQuery,
      response: { 200: trashAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { per_page: perPage, cursor } = request.query;
        const [found, { total, isExact }] = await Promise.all([trash.list(perPage, cursor), trash.count()]);
        const page = { cursorOf: ({ number }: DeletedArticle) => number, shown };
        const value = successCursorPage('Deleted articles found', found, perPage, page);
        const counted = { total, ...(!isExact && { total_is_exact: isExact }) };
        return { value: { ...value, meta: { ...value.meta, ...counted } } };
      }),
  });
  const erase = operation({
    schema: {
      tags: TAGS,
      operationId: 'eraseDeletedArticle',
      summary: 'Delete a deleted article for good, with its revisions; its slugs are free again',
      description: 'It cannot be restored any more. Only what is in the trash can be erased.',
      params: articlePath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 429, 503) },
    },
    handler: async (request, reply) => {
      const owner = ownerOf(request);
      const { id } = request.params;
      await trash.erase(id, actorOf(request), (article) => requireArticle(owner, article));
      logWrite(request, 'article_erased', { article: id });
      return reply.header('cache-control', PRIVATE).send(success('Article deleted for good', null));
    },
  });
  const empty = operation({
    schema: {
      tags: TAGS,
      operationId: 'emptyTrash',
      summary: 'Delete all deleted articles for good',
      description: 'Articles deleted for good cannot be restored. Repeating it deletes the rest.',
      querystring: emptyQuery,
      response: { 200: emptiedAnswer, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      const deleted = await trash.empty(actorOf(request), request.query.deleted_until);
      logWrite(request, 'trash_emptied', { articles: deleted });
      return reply.header('cache-control', PRIVATE).send(success('Trash emptied', { deleted }));
    },
  });
  const restore = operation({
    schema: {
      tags: TAGS,
      operationId: 'restoreArticle',
      summary: 'Bring a deleted article back as it was',
      description:
        'With its id, slugs, dates, tags and revisions, published if it was, unless the body says otherwise or its' +
        ' `unpublish_at` has passed; `updated_at` is new. Repeating it changes nothing.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      body: articleRestore,
      response: {
        200: articleRestoredAnswer,
        ...problemResponses(400, 401, 403, 404, 413, 415, 422, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const owner = ownerOf(request);
      const { id } = request.params;
      const restorer = {
        actor: actorOf(request),
        check: (article: Parameters<typeof requireArticle>[1]) => requireArticle(owner, article),
      };
      const { article, own, category_id, repeated } = await trash.restore(id, request.body ?? {}, restorer);
      // The first one may have reached another replica, whose notification may still be on its way.
      changed(repeated ? undefined : subjectsOfChange({ id, categories: [category_id] }));
      if (!repeated) logWrite(request, 'article_restored', { article: id });
      return reply.headers(writtenHeaders(own)).send(success('Article restored', article));
    },
  });
  return { list, erase, empty, restore };
}

function shown({ deleted_at, deleted_by, key_name, members }: DeletedArticle) {
  const key = keyOf(deleted_by, key_name);
  return deletedArticle.parse({ ...membersOfJson(members), deleted_at: deleted_at.toISOString(), key });
}

interface DeletedArticle {
  /** In the order of deletion. */
  number: number;
  deleted_at: Date;
  deleted_by: string | null;
  key_name: string | null;
  /** The values of its columns as JSON, all but the content. */
  members: RowAsJson;
}

/** A restored article, and whether it was there already. */
interface RestoredArticle extends OwnArticle {
  category_id: number | null;
  repeated: boolean;
}

interface Restorer {
  actor: Actor;
  /** Called with the article as it was and as it will be; throws to forbid it. */
  check: (article: Permitted) => void;
}

/** The deleted articles that can be restored. */
export class Trash {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * Lists the articles deleted last before the number `before`: one more than `perPage` if there are as many.
   */
  list(perPage: number, before = Number.MAX_SAFE_INTEGER): Promise<DeletedArticle[]> {
    return this.#db
      .selectFrom('content.deleted_article as deleted')
      .leftJoin('content.api_key as key', 'key.prefix', 'deleted.deleted_by')
      .select([
        'deleted.number',
        'deleted.deleted_at',
        'deleted.deleted_by',
        'deleted.members',
        'key.name as key_name',
      ])
      .where('deleted.number', '<', before)
      .orderBy('deleted.number', 'desc')
      .limit(perPage + 1)
      .execute();
  }

  /** Returns their number, or a lower bound. */
  async count(): Promise<Total> {
    const { rows } = await sql<{ total: number }>`
      select count(*)::integer as total from (select from content.deleted_article limit ${MOST_SEEN}) as seen
    `.execute(this.#db);
    const total = rows[0]?.total ?? 0;
    return total > MOST_COUNTED ? { total: MOST_COUNTED, isExact: false } : { total, isExact: true };
  }

  /**
   * Deletes one for good.
   *
   * @throws Failure `missing`, and whatever `check` throws
   */
  erase(id: number, actor: Actor, check: Restorer['check']): Promise<void> {
    return this.#db.transaction().execute(async (tx) => {
      const deleted = await lock(tx, id);
      if (deleted === undefined) throw new Failure('missing', 'there is no such article in the trash');
      check(deleted);
      await eraseWhere(tx, actor, sql`article_id = ${id}`);
    });
  }

  /** Deletes for good the articles deleted until a time, or until now, and returns their number. */
  async empty(actor: Actor, until = new Date()): Promise<number> {
    const isSeen = sql`date_trunc('milliseconds', deleted_at) <= ${until}`;
    const some = sql`number in (select number from content.deleted_article where ${isSeen} order by number limit ${ERASED})`;
    for (let total = 0; ; ) {
      const erased = await this.#db.transaction().execute((tx) => eraseWhere(tx, actor, some));
      total += erased;
      if (erased < ERASED) return total;
    }
  }

  /**
   * Brings a deleted article back as it was but for what `differing` says; one that is there stays as it is.
   *
   * @throws Failure `missing` if there is none or it can no longer be restored, `invalid` if its
   * category or a tag no longer exists, and whatever `check` throws
   */
  restore(id: number, differing: Differing, restorer: Restorer): Promise<RestoredArticle> {
    const restoring = this.#db.transaction().execute((tx) => restore(tx, id, differing, restorer));
    return restoring.catch(explainMissing);
  }
}

async function restore(
  tx: Transaction<ContentTables>,
  id: number,
  { tags, authors, ...differing }: Differing,
  { actor, check }: Restorer,
): Promise<RestoredArticle> {
  await checkReferences(tx, differing);
  const tag_ids = tags && (await termIds(tx, 'tags', tags));
  const author_ids = authors && (await termIds(tx, 'authors', authors));
  const deleted = await lock(tx, id);
  if (deleted !== undefined) {
    check(deleted);
    check({ ...deleted, ...differing });
    const columns = JSON.stringify({
      ...differing,
      ...(tag_ids && { tag_ids }),
      ...(author_ids && { author_ids }),
    });
    await sql`select ${writtenBy(actor)}, content.restore_article(${id}, ${columns}::jsonb)`.execute(tx);
  }
  const restored = await writtenIn(tx, id);
  if (restored === undefined)
    throw new Failure('missing', 'there is no such article, or it can no longer be restored');
  check({ is_published: restored.article.is_published, category_id: restored.category_id });
  return { ...restored, repeated: deleted === undefined };
}

/** Articles that go in one transaction. */
const ERASED = 1000;

/** Locks a deleted article, and returns what decides who may do something with it. */
function lock(tx: Transaction<ContentTables>, id: number) {
  return tx
    .selectFrom('content.deleted_article')
    .select(({ ref }) => [
      sql<boolean>`(${ref('members')} -> 'is_published')::boolean`.as('is_published'),
      sql<number | null>`(${ref('members')} ->> 'category_id')::integer`.as('category_id'),
    ])
    .where('article_id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Deletes these for good, with an entry in the trail for each. */
async function eraseWhere(
  tx: Transaction<ContentTables>,
  actor: Actor,
  condition: RawBuilder<unknown>,
): Promise<number> {
  await sql`select ${writtenBy(actor)}`.execute(tx);
  const { numAffectedRows = 0n } = await sql`
    with erased as (delete from content.deleted_article where ${condition} returning article_id, members)
    insert into content.audit (action, article_id, detail)
    select 'article.erased', article_id,
      jsonb_build_object('slug', members -> 'slug', 'title', members -> 'title') from erased`.execute(tx);
  return Number(numAffectedRows);
}

/** Foreign keys of a restored article: the member, and the remedy if its target is gone. */
const REFERENCES = {
  article_category_id_fkey: ['category_id', 'its category no longer exists; give another one, or null'],
  article_tag_tag_id_fkey: ['tags', 'one no longer exists; give the ones that the article should have'],
  article_author_author_id_fkey: ['authors', 'one no longer exists; give the ones that it should have'],
} as const;

/** Throws a failure that names the references of an article that no longer exist. */
function explainMissing(error: unknown): never {
  for (const [key, [field, message]] of Object.entries(REFERENCES)) {
    if (violates(error, key)) throw invalid([{ field, code: 'not_found', message }]);
  }
  throw error;
}

/** Removes articles deleted more than `days` ago; by a trigger, their revisions and former slugs go too. */
export async function pruneDeletedArticles(
  tx: Kysely<ContentTables>,
  days: number,
  most: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from content.deleted_article
    where deleted_at < clock_timestamp() - make_interval(days => ${days}::integer) and number in (
      select number from content.deleted_article order by number limit ${most}
    )`.execute(tx);
  return Number(numAffectedRows);
}
