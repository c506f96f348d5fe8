import { randomBytes } from 'node:crypto';
import { PRIVATE } from '@pressroom/common/caching/conditional';
import { Failure } from '@pressroom/common/failures/failure';
import { idParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { type Permitted, requireReach } from './api-keys.ts';
import { ASSIGNEE, hashToken } from './articles/detail.ts';
import { articlePath, deletedAnswer } from './articles/schema.ts';
import { type Actor, envelope, success, writtenBy } from './envelope.ts';
import { actorOf, logWrite, ownerOf, replyPrivately } from './requests.ts';
import type { ContentTables } from './tables.ts';

/** Lifetimes that a link may have, in seconds: from an hour to 30 days. */
const [SHORTEST, LONGEST] = [3600, 30 * 24 * 3600];

/** Lifetime of a link unless the request says otherwise, in seconds: a day. */
const USUAL = 24 * 3600;

const expected = `must be a whole number of seconds from ${SHORTEST} to ${LONGEST}`;

const timestamp = z.iso.datetime({ offset: true });

/** Body of `POST`. */
const previewCreate = z.strictObject({
  expires_in: z
    .int(expected)
    .min(SHORTEST, expected)
    .max(LONGEST, expected)
    .default(USUAL)
    .describe('The validity of the link, in seconds.'),
});

const preview = z.object({ id: z.int(), created_at: timestamp, expires_at: timestamp });

const previewPath = z.object({ id: idParameter(), preview_id: idParameter() });

/** Answer of `POST`: the only one that has the token. */
const previewCreatedAnswer = envelope(
  preview.extend({
    token: z
      .string()
      .describe('Shown only once. `?preview=TOKEN` on a read of the article shows it as last saved.'),
  }),
);

const previewListAnswer = envelope(z.array(preview));

const TAGS = ['previews'];
const HEADERS = { 'cache-control': PRIVATE };

/** The operations on previews: links to one article, published or not. */
export function previewOperations(previews: PreviewStore) {
  const create = operation({
    schema: {
      tags: TAGS,
      operationId: 'createPreview',
      summary: 'Make a link that shows one article as last saved, to whoever has it',
      description:
        'The token is shown once. `?preview=TOKEN` on the article shows it as last saved, with its' +
        ' working copy, until it expires: after a day, or after `expires_in` seconds. An article has' +
        ' at most 100.',
      params: articlePath,
      body: previewCreate,
      response: {
        201: previewCreatedAnswer,
        ...problemResponses(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const made = await previews.create(id, request.body.expires_in, actorOf(request), permission(request));
      logWrite(request, 'preview_created', { article: id, preview: made.id });
      return reply
        .code(201)
        .headers({ ...HEADERS, location: `/api/articles/${id}/previews/${made.id}` })
        .send(success('Preview created', { ...shown(made), token: made.token }));
    },
  });
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listPreviews',
      summary: 'List the links of an article that work, the newest first',
      description: 'Their tokens are not shown again.',
      params: articlePath,
      response: {
        200: previewListAnswer,
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 404, 429, 503),
      },
    },
    handler: (request, reply) => {
      const check = permission(request);
      return replyPrivately(request, reply, async () => {
        const found = await previews.list(request.params.id, check);
        return { value: success('Previews found', found.map(shown)) };
      });
    },
  });
  const revoke = operation({
    schema: {
      tags: TAGS,
      operationId: 'revokePreview',
      summary: 'Revoke a link',
      description: 'From now on the link shows what readers see.',
      params: previewPath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 429, 503) },
    },
    handler: async (request, reply) => {
      const { id, preview_id: preview } = request.params;
      await previews.revoke(id, preview, actorOf(request), permission(request));
      logWrite(request, 'preview_deleted', { article: id, preview });
      return reply.headers(HEADERS).send(success('Preview revoked', null));
    },
  });
  return { create, list, revoke };
}

/** A key for one category shows no drafts of others. */
function permission(request: FastifyRequest): ArticleCheck {
  const owner = ownerOf(request);
  return (article) => requireReach(owner, article);
}

function shown({ id, created_at, expires_at }: Preview) {
  return { id, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
}

/** Bytes of a token. */
const TOKEN_BYTES = 32;

const MOST_PREVIEWS = 100;

/** A link to an article as lists show it, without its token. */
interface Preview {
  id: number;
  created_at: Date;
  expires_at: Date;
}

/** Checks the article of a preview; throws to forbid the request. */
type ArticleCheck = (article: Permitted) => void;

/** The previews of articles in the database, which stores only hashes of their tokens. */
export class PreviewStore {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * Makes a link to an article for some seconds, and returns it with its token, the only time it can be seen.
   * Links that have expired go.
   *
   * @throws Failure `missing`, `conflict` if there are too many, and whatever `check` throws
   */
  create(
    articleId: number,
    seconds: number,
    actor: Actor,
    check: ArticleCheck,
  ): Promise<Preview & { token: string }> {
    return this.#db.transaction().execute(async (tx) => {
      await findArticle(tx, articleId, check);
      await tx
        .deleteFrom('content.preview')
        .where('article_id', '=', articleId)
        .where('expires_at', '<=', sql<Date>`clock_timestamp()`)
        .execute();
      const { count } = await tx
        .selectFrom('content.preview')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('article_id', '=', articleId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MOST_PREVIEWS) {
        const detail = `the article has ${MOST_PREVIEWS} previews; revoke one first`;
        throw new Failure('conflict', detail, { code: 'too_many_previews' });
      }
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const { writer: _, ...preview } = await tx
        .insertInto('content.preview')
        .values({
          article_id: articleId,
          token_hash: hashToken(token),
          expires_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`,
        })
        .returning(['id', 'created_at', 'expires_at', writtenBy(actor).as('writer')])
        .executeTakeFirstOrThrow();
      return { ...preview, token };
    });
  }

  /**
   * The links of an article that work, the newest first.
   *
   * @throws Failure `missing`, and whatever `check` throws
   */
  async list(articleId: number, check: ArticleCheck): Promise<Preview[]> {
    await findArticle(this.#db, articleId, check);
    return this.#db
      .selectFrom('content.preview')
      .select(['id', 'created_at', 'expires_at'])
      .where('article_id', '=', articleId)
      .where('expires_at', '>', sql<Date>`clock_timestamp()`)
      .orderBy('id', 'desc')
      .execute();
  }

  /**
   * Revokes a link: from the commit on it shows nothing.
   *
   * @throws Failure `missing`, and whatever `check` throws
   */
  async revoke(articleId: number, id: number, actor: Actor, check: ArticleCheck): Promise<void> {
    await findArticle(this.#db, articleId, check);
    const { numDeletedRows } = await this.#db
      .deleteFrom('content.preview')
      .where('article_id', '=', articleId)
      .where('id', '=', id)
      .where(writtenBy(actor), '=', actor.key)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw new Failure('missing', 'the article has no such preview');
  }
}

async function findArticle(db: Kysely<ContentTables>, id: number, check: ArticleCheck): Promise<void> {
  // Locked, so that two creates do not exceed the limit together; readers do not wait for it.
  const article = await db
    .selectFrom('content.article as article')
    .select(['is_published', 'category_id', 'author_ids', ASSIGNEE])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new Failure('missing', 'this article does not exist'));
  check(article);
}
