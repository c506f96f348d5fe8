import { isDeepStrictEqual } from 'node:util';
import { PRIVATE, writePrecondition } from '@pressroom/common/caching/conditional';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { idMember, idParameter, requiredText, text } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { insufficient, type KeyOwner, requireReach, requireScope } from './api-keys.ts';
import { ASSIGNEE } from './articles/detail.ts';
import { articlePath, deletedAnswer } from './articles/schema.ts';
import { type Actor, envelope, isBy, keyMember, keyOf, success, writtenBy } from './envelope.ts';
import { actorOf, idempotencyKey, logWrite, ownerOf, replyPrivately, writtenHeaders } from './requests.ts';
import type { ContentTables } from './tables.ts';

/** The longest comment, and the longest text that one stands at, in characters. */
const [LONGEST, LONGEST_EXACT] = [2000, 1000];

/** The characters before and after the text that a comment stands at. */
const CONTEXT = 32;

const MAX_COMMENTS = 500;

/** The place of a comment: a TextQuoteSelector of the Web Annotation Data Model. */
const anchor = z
  .strictObject({
    exact: requiredText(LONGEST_EXACT).describe('The text itself.'),
    prefix: text(CONTEXT).describe('The text before it in its block.'),
    suffix: text(CONTEXT).describe('The text after it in its block.'),
    block: z.int().min(0).max(1_000_000).describe('Which block it is in, from 0: where to look first.'),
  })
  .meta({ id: 'CommentAnchor' });

export type CommentAnchor = z.infer<typeof anchor>;

/** Body of a POST. */
const commentPost = z.strictObject({
  text: requiredText(LONGEST),
  parent_id: idMember('must be the id of a comment, or null')
    .nullish()
    .describe('What it answers; an answer opens a resolved comment again.'),
  anchor: anchor.nullish().describe('Where it stands; null for the whole article.'),
});

/** Body of a PATCH. */
const commentPatch = z
  .strictObject({
    text: requiredText(LONGEST),
    is_resolved: z.boolean(),
    anchor: anchor.describe('Where it stands after the text around it was changed.'),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

const timestamp = z.iso.datetime({ offset: true });

const ACTS = ['edit', 'resolve', 'delete'] as const;

const commentShown = z
  .object({
    id: z.int(),
    parent_id: z.int().nullable(),
    text: z.string(),
    anchor: anchor.nullable(),
    created_at: timestamp,
    key: keyMember,
    edited_at: timestamp.nullable(),
    resolved_at: timestamp.nullable(),
    resolved_by: keyMember,
    may: z.array(z.enum(ACTS)).describe('What whoever asks may do to it now.'),
  })
  .meta({ id: 'Comment' });

const commentAnswer = envelope(commentShown);

const commentPath = z.object({
  id: idParameter(),
  comment_id: idParameter().describe('The id of the comment.'),
});

const TAGS = ['comments'];

/** The operations on what people at the desk say to each other about an article. */
export function commentOperations(comments: Comments) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listComments',
      summary: 'List the comments of an article, the oldest first',
      description: 'Resolved ones too; answers name what they answer in `parent_id`.',
      params: articlePath,
      response: {
        200: envelope(z.array(commentShown)),
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 404, 429, 503),
      },
    },
    handler: (request, reply) => {
      const owner = ownerOf(request);
      return replyPrivately(request, reply, async () => {
        const { article, found } = await comments.list(request.params.id);
        const value = found.map((comment) => shown(comment, openTo(owner, article, comment)));
        return { value: success('Comments found', value) };
      });
    },
  });
  const create = operation({
    schema: {
      tags: TAGS,
      operationId: 'createComment',
      summary: 'Comment an article, a place in its text, or a comment',
      description:
        'With an Idempotency-Key, the same request adds nothing and returns the comment of the first one with' +
        ' `Idempotent-Replayed: true`, as long as that is there; a different body is 422 `idempotency_key_reused`.',
      params: articlePath,
      requestHeaders: ['Idempotency-Key'],
      responseHeaders: { 201: ['ETag', 'Idempotent-Replayed'] },
      body: commentPost,
      response: { 201: commentAnswer, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 422, 429, 503) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const { article, comment, repeated } = await comments.create(
        id,
        request.body,
        actorOf(request),
        idempotencyKey(request),
      );
      if (repeated) reply.header('idempotent-replayed', 'true');
      else logWrite(request, 'comment_created', { article: id, comment: comment.id });
      return reply
        .code(201)
        .headers({
          ...writtenHeaders(ownOf(comment)),
          location: `/api/articles/${id}/comments/${comment.id}`,
        })
        .send(success('Comment created', shown(comment, openTo(ownerOf(request), article, comment))));
    },
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'updateComment',
      summary: 'Change the text of a comment, resolve it or open it again, or say where it stands now',
      description:
        'The text is for who wrote it; the rest for them too, and for whoever may change the article.',
      params: commentPath,
      responseHeaders: { 200: ['ETag'] },
      body: commentPatch,
      response: { 200: commentAnswer, ...problemResponses(400, 401, 403, 404, 412, 413, 415, 422, 429, 503) },
    },
    handler: async (request, reply) => {
      const { id, comment_id } = request.params;
      const { article, comment } = await comments.change(id, comment_id, request.body, changerOf(request));
      logWrite(request, 'comment_updated', { article: id, comment: comment_id });
      return reply
        .headers(writtenHeaders(ownOf(comment)))
        .send(success('Comment updated', shown(comment, openTo(ownerOf(request), article, comment))));
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteComment',
      summary: 'Delete a comment, with its answers',
      description: 'For who wrote it, as long as nobody else has answered, and for whoever may publish.',
      params: commentPath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 412, 429, 503) },
    },
    handler: async (request, reply) => {
      const { id, comment_id } = request.params;
      await comments.remove(id, comment_id, changerOf(request));
      logWrite(request, 'comment_deleted', { article: id, comment: comment_id });
      return reply.header('cache-control', PRIVATE).send(success('Comment deleted', null));
    },
  });
  return { list, create, change, remove };
}

function changerOf(request: FastifyRequest): Changer {
  return { owner: ownerOf(request), actor: actorOf(request), precondition: writePrecondition(request) };
}

function shown(comment: Comment, may: Act[]): z.infer<typeof commentShown> {
  const { id, parent_id, text, anchor, created_at, created_by, edited_at, resolved_at, resolved_by } =
    comment;
  return {
    ...{ id, parent_id, text, anchor, may },
    created_at: created_at.toISOString(),
    key: keyOf(created_by, null),
    edited_at: edited_at?.toISOString() ?? null,
    resolved_at: resolved_at?.toISOString() ?? null,
    resolved_by: keyOf(resolved_by, null),
  };
}

function ownOf({ text, edited_at, resolved_at }: Comment): object {
  return { text, edited_at, resolved_at };
}

type Act = (typeof ACTS)[number];

type Comment = Pick<Selectable<ContentTables['content.article_comment']>, (typeof COLUMNS)[number]> & {
  /** True if somebody else has answered it. */
  is_answered: boolean;
};

type Article = Awaited<ReturnType<typeof findArticle>>;

interface Changer {
  owner: KeyOwner;
  actor: Actor;
  /** Checks the comment that is there; throws to forbid the change. */
  precondition: ((own: object) => void) | undefined;
}

/** Throws `forbidden` for what somebody may not do to a comment. */
function check(owner: KeyOwner, article: Article, comment: Comment, act: Act): void {
  const { prefix: key, account = null } = owner;
  const isOwn = isBy({ key, account }, { key: comment.created_by, account: comment.created_account });
  if (act === 'edit' && !isOwn) throw insufficient('only who wrote a comment changes its text');
  if (act === 'edit' || (isOwn && (act === 'resolve' || !comment.is_answered))) return;
  requireScope(owner, act === 'resolve' ? 'write' : 'publish');
  requireReach(owner, article);
}

function openTo(owner: KeyOwner, article: Article, comment: Comment): Act[] {
  return ACTS.filter((act) => {
    if (act === 'resolve' && comment.parent_id !== null) return false;
    try {
      check(owner, article, comment, act);
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  });
}

const COLUMNS = [
  'id',
  'parent_id',
  'text',
  'anchor',
  'created_at',
  'created_by',
  'created_account',
  'edited_at',
  'resolved_at',
  'resolved_by',
] as const;

/** The comments of articles in the database. */
export class Comments {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * The comments of an article, the oldest first.
   *
   * @throws Failure `missing`
   */
  async list(articleId: number): Promise<{ article: Article; found: Comment[] }> {
    const article = await findArticle(this.#db, articleId);
    return { article, found: await select(this.#db, articleId).orderBy('id').execute() };
  }

  /**
   * Adds a comment, unless the same request has.
   *
   * @param request an Idempotency-Key
   * @throws Failure `missing`, `invalid` for a parent that is none or a key of another request, `conflict`
   * if there are too many
   */
  create(
    articleId: number,
    { text, parent_id = null, anchor = null }: z.infer<typeof commentPost>,
    actor: Actor,
    request?: string,
  ): Promise<{ article: Article; comment: Comment; repeated: boolean }> {
    return this.#db.transaction().execute(async (tx) => {
      const article = await findArticle(tx, articleId, true);
      if (request !== undefined) {
        const first = await select(tx, articleId)
          .where('created_by', '=', actor.key)
          .where('request', '=', request)
          .executeTakeFirst();
        const same =
          first && isDeepStrictEqual([first.text, first.parent_id, first.anchor], [text, parent_id, anchor]);
        if (first && same) return { article, comment: first, repeated: true };
        if (first) throw keyReused();
      }
      if (parent_id !== null) await openThread(tx, articleId, parent_id, anchor);
      const { count } = await tx
        .selectFrom('content.article_comment')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('article_id', '=', articleId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_COMMENTS) throw tooMany();
      const { id } = await tx
        .insertInto('content.article_comment')
        .values({
          ...{ article_id: articleId, parent_id, text, request: request ?? null },
          anchor: anchor && sql<CommentAnchor>`${JSON.stringify(anchor)}::jsonb`,
          created_by: writtenBy(actor),
          created_account: actor.account,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { article, comment: await find(tx, articleId, id), repeated: false };
    });
  }

  /**
   * Changes the text of a comment, whether it is resolved, or where it stands.
   *
   * @throws Failure `missing`, `forbidden`, `invalid` for an answer, which is moved and resolved with its
   * thread, and whatever `precondition` throws
   */
  change(
    articleId: number,
    id: number,
    { text, is_resolved, anchor }: z.infer<typeof commentPatch>,
    { owner, actor, precondition }: Changer,
  ): Promise<{ article: Article; comment: Comment }> {
    return this.#db.transaction().execute(async (tx) => {
      const article = await findArticle(tx, articleId, true);
      const comment = await find(tx, articleId, id);
      const isEdited = text !== undefined && text !== comment.text;
      const isTurned = is_resolved !== undefined && is_resolved !== (comment.resolved_at !== null);
      const isOfThread = is_resolved !== undefined || anchor !== undefined;
      if (isOfThread && comment.parent_id !== null)
        throw isAnswer(anchor === undefined ? 'is_resolved' : 'anchor');
      if (text !== undefined) check(owner, article, comment, 'edit');
      if (isOfThread) check(owner, article, comment, 'resolve');
      if (!isEdited && !isTurned && anchor === undefined) return { article, comment };
      precondition?.(ownOf(comment));
      const now = sql<Date>`clock_timestamp()`;
      await tx
        .updateTable('content.article_comment')
        .set({
          ...(isEdited && { text, edited_at: now }),
          ...(anchor && { anchor: sql<CommentAnchor>`${JSON.stringify(anchor)}::jsonb` }),
          ...(isTurned &&
            (is_resolved
              ? { resolved_at: now, resolved_by: writtenBy(actor) }
              : { resolved_at: null, resolved_by: null })),
        })
        .where('id', '=', id)
        .execute();
      return { article, comment: await find(tx, articleId, id) };
    });
  }

  /**
   * Deletes a comment with its answers.
   *
   * @throws Failure `missing`, `forbidden`, and whatever `precondition` throws
   */
  remove(articleId: number, id: number, { owner, actor, precondition }: Changer): Promise<void> {
    return this.#db.transaction().execute(async (tx) => {
      const article = await findArticle(tx, articleId, true);
      const comment = await find(tx, articleId, id);
      check(owner, article, comment, 'delete');
      precondition?.(ownOf(comment));
      await tx
        .deleteFrom('content.article_comment')
        .where('id', '=', id)
        .where(writtenBy(actor), '=', actor.key)
        .execute();
    });
  }
}

/** Checks what a comment answers, and opens it again if it is resolved. */
async function openThread(
  tx: Transaction<ContentTables>,
  articleId: number,
  id: number,
  anchor: CommentAnchor | null,
): Promise<void> {
  const parent = await select(tx, articleId).where('id', '=', id).executeTakeFirst();
  if (parent?.parent_id !== null) {
    const message = 'the article has no such comment that can be answered; an answer has none itself';
    throw invalid([{ field: 'parent_id', code: 'not_found', message }]);
  }
  if (anchor !== null) {
    const message = 'must be null: an answer stands where the comment stands that it answers';
    throw invalid([{ field: 'anchor', code: 'not_allowed', message }]);
  }
  await tx
    .updateTable('content.article_comment')
    .set({ resolved_at: null, resolved_by: null })
    .where('id', '=', id)
    .execute();
}

function select(db: Kysely<ContentTables>, articleId: number) {
  return db
    .selectFrom('content.article_comment as comment')
    .select(COLUMNS)
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('content.article_comment as answer')
          .select('answer.id')
          .whereRef('answer.parent_id', '=', 'comment.id')
          .where(
            sql<boolean>`coalesce(answer.created_account <> comment.created_account,
              answer.created_by <> comment.created_by)`,
          ),
      )
        .$castTo<boolean>()
        .as('is_answered'),
    )
    .where('article_id', '=', articleId);
}

function find(tx: Transaction<ContentTables>, articleId: number, id: number): Promise<Comment> {
  return select(tx, articleId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => new Failure('missing', 'the article has no such comment'));
}

function findArticle(db: Kysely<ContentTables>, id: number, isLocked = false) {
  const query = db
    .selectFrom('content.article as article')
    .select(['is_published', 'category_id', 'author_ids', ASSIGNEE])
    .where('id', '=', id);
  // Locked, so that two do not exceed the limit together, or repeat each other.
  return (isLocked ? query.forNoKeyUpdate() : query).executeTakeFirstOrThrow(
    () => new Failure('missing', 'this article does not exist'),
  );
}

function keyReused(): Failure {
  const message =
    'this Idempotency-Key was already used with a different body; use a new key for a new request';
  return new Failure('invalid', message, { code: 'idempotency_key_reused' });
}

function tooMany(): Failure {
  const detail = `the article has ${MAX_COMMENTS} comments; delete some that are resolved`;
  return new Failure('conflict', detail, { code: 'too_many_comments' });
}

function isAnswer(field: string): Failure {
  const message = 'is for the comment that this one answers; change that';
  return invalid([{ field, code: 'not_allowed', message }]);
}
