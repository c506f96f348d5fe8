import { violates } from '@pressroom/common/database/database';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { type Permitted, requireArticle } from './api-keys.ts';
import { termIds } from './articles/detail.ts';
import { articleCreatedAnswer, articlePath, articlePut } from './articles/schema.ts';
import { checkReferences, type OwnArticle, writtenIn } from './articles/store.ts';
import {
  type Actor,
  cursorEnvelope,
  keyMember,
  keyOf,
  success,
  successCursorPage,
  writtenBy,
} from './envelope.ts';
import { actorOf, logWrite, ownerOf, replyPrivately, writtenHeaders } from './requests.ts';
import { subjectsOfChange } from './subjects.ts';
import { type ContentTables, membersOfJson, type RowAsJson } from './tables.ts';

const timestamp = z.iso.datetime({ offset: true });

/** A deleted article as the list shows it. */
const deletedArticle = z.object({
  id: z.int(),
  title: z.string(),
  slug: z.string(),
  category_id: z.int().nullable(),
  author: z.string(),
  is_published: z.boolean(),
  published_at: timestamp.nullable(),
  deleted_at: timestamp,
  key: keyMember,
});

const trashQuery = z.strictObject({
  per_page: integerParameter(1, 100).default(20),
  cursor: integerParameter(1).optional().describe('`meta.next_cursor` of the page before.'),
});

const trashAnswer = cursorEnvelope(deletedArticle, z.int());

/** Body of a restore: in what the article shall be other than it was. */
const articleRestore = articlePut
  .pick({ category_id: true, tags: true, authors: true })
  .extend({ is_published: z.literal(false, 'must be false; or leave it out') })
  .partial()
  .nullish();

/** In what a restored article shall be other than it was. */
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
      querystring: trashQuery,
      response: { 200: trashAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { per_page: perPage, cursor } = request.query;
        const found = await trash.list(perPage, cursor);
        const page = { cursorOf: ({ number }: DeletedArticle) => number, shown };
        return { value: successCursorPage('Deleted articles found', found, perPage, page) };
      }),
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
  return { list, restore };
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

  /** What was deleted last before the number `before`: one more than `perPage` if there are as many. */
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
  const deleted = await tx
    .selectFrom('content.deleted_article')
    .select(({ ref }) => [
      sql<boolean>`(${ref('members')} -> 'is_published')::boolean`.as('is_published'),
      sql<number | null>`(${ref('members')} ->> 'category_id')::integer`.as('category_id'),
    ])
    .where('article_id', '=', id)
    .forUpdate()
    .executeTakeFirst();
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

/** What a restored article refers to, by its foreign keys: the member, and what to do without it. */
const REFERENCES = {
  article_category_id_fkey: ['category_id', 'its category no longer exists; give another one, or null'],
  article_tag_tag_id_fkey: ['tags', 'one no longer exists; give the ones that the article should have'],
  article_author_author_id_fkey: ['authors', 'one no longer exists; give the ones that it should have'],
} as const;

/** Names what an article had that no longer exists. */
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
