import { PRIVATE, writePrecondition } from '@pressroom/common/caching/conditional';
import { Failure } from '@pressroom/common/failures/failure';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { type Permitted, requireArticle, requireReach } from './api-keys.ts';
import { articlePath, articlePut, articlePutAnswer, deletedAnswer } from './articles/schema.ts';
import { checkReferences, type UpdatedArticle, updateIn, type Writer } from './articles/store.ts';
import { subjectsOfChange } from './cache-subjects.ts';
import { envelope, keyMember, keyOf, success } from './envelope.ts';
import {
  type ArticleRules,
  articleFaults,
  checkBody,
  logWrite,
  ownerOf,
  refuseFaults,
  replyPrivately,
  writerOf,
  writtenHeaders,
} from './requests.ts';
import type { ContentTables } from './tables.ts';

/** Body of a PUT: that of a PATCH of the article, but whether and when it is published. */
const workingCopyPut = articlePut
  .omit({ is_published: true, publish_at: true, unpublish_at: true, release: true })
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

type WorkingChanges = z.infer<typeof workingCopyPut>;

const workingCopyAnswer = envelope(
  z.object({
    revision: z.int().describe('The revision of the article that it is meant to change.'),
    is_current: z.boolean().describe('True if readers see that version; else the article has changed since.'),
    saved_at: z.iso.datetime({ offset: true }),
    key: keyMember,
    changes: z.looseObject({}).describe('The members that it changes, as they were sent.'),
  }),
);

/** The dependencies of the operations on working copies. */
interface WorkingCopyParts {
  copies: WorkingCopies;
  /** The checks of copies before they are saved, and before they are published. */
  rules: ArticleRules;
  /** See `ArticleParts`. */
  changed: (subjects?: ReadonlySet<string>) => void;
}

const TAGS = ['working copies'];

/** The operations on working copies: changes of published articles that readers do not see yet. */
export function workingCopyOperations({ copies, rules, changed }: WorkingCopyParts) {
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getWorkingCopy',
      summary: 'Read the working copy of an article',
      description:
        'The changes of a published article that readers do not see yet, as a PATCH takes them.' +
        ' `is_current` is false if the article has another revision by now. 404 where there is none.',
      params: articlePath,
      response: {
        200: workingCopyAnswer,
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 404, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const copy = await copies.read(request.params.id);
        return { value: success('Working copy found', shown(copy)), own: ownOf(copy) };
      }),
  });
  const save = operation({
    schema: {
      tags: TAGS,
      operationId: 'saveWorkingCopy',
      summary: 'Save changes of a published article without showing them, in place of those saved before',
      description: 'With `If-None-Match: *` only if none are saved yet: else the answer is 412.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      body: workingCopyPut,
      response: {
        200: workingCopyAnswer,
        ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503),
      },
    },
    attachValidation: true,
    handler: async (request, reply) => {
      await checkBody(request, rules);
      const { id } = request.params;
      const copy = await copies.save(id, request.body, saverOf(request, writePrecondition(request)));
      logWrite(request, 'working_copy_updated', { article: id });
      return reply.headers(writtenHeaders(ownOf(copy))).send(success('Working copy saved', shown(copy)));
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteWorkingCopy',
      summary: 'Discard the working copy of an article',
      description: 'The article stays as readers see it. `If-Match` takes the `ETag` of the working copy.',
      params: articlePath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 412, 429, 503) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      await copies.remove(id, saverOf(request, writePrecondition(request)));
      logWrite(request, 'working_copy_deleted', { article: id });
      return reply.header('cache-control', PRIVATE).send(success('Working copy deleted', null));
    },
  });
  const publish = operation({
    schema: {
      tags: TAGS,
      operationId: 'publishWorkingCopy',
      summary: 'Show the working copy of an article, in one commit',
      description:
        'If the article has changed since the working copy was saved, the answer is 409 `article_changed`, unless' +
        ' `If-Match` has the ETag of the article as it is now.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      response: {
        200: articlePutAnswer,
        ...problemResponses(400, 401, 403, 404, 409, 412, 422, 429, 500, 503),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const copy = await copies.read(id);
      const writer = writerOf(request, copy.changes);
      refuseFaults(await articleFaults(rules, copy.changes, writer.actor.key));
      const isSeen = request.headers['if-match'] !== undefined;
      const { article, own, place } = await copies.publish(id, copy, isSeen, writer);
      changed(subjectsOfChange(place));
      logWrite(request, 'article_updated', { article: id });
      return reply.headers(writtenHeaders(own)).send(success('Working copy published', article));
    },
  });
  return { read, save, remove, publish };
}

/**
 * Returns the writer with the right to save: less than a change of the article needs, as a copy is not shown.
 */
function saverOf(request: FastifyRequest, precondition: Saver['precondition']): Saver {
  const owner = ownerOf(request);
  return {
    key: owner.prefix,
    // An editor could publish unseen what a writer adds to a published article.
    check: (article: Permitted) =>
      owner.author_id == null ? requireReach(owner, article) : requireArticle(owner, article),
    precondition,
  };
}

function shown({ revision, is_current, saved_at, saved_by, key_name, changes }: WorkingCopy) {
  return { revision, is_current, saved_at: saved_at.toISOString(), key: keyOf(saved_by, key_name), changes };
}

/** Changes of an article that readers do not see yet. */
interface WorkingCopy {
  /** The revision of the article that they are meant to change. */
  revision: number;
  is_current: boolean;
  changes: WorkingChanges;
  saved_at: Date;
  saved_by: string | null;
  key_name: string | null;
}

/** The writer of a copy: the public prefix of a key, and its conditions. */
interface Saver {
  key: string;
  /** Checks the article; throws to forbid the request. */
  check: (article: Permitted) => void;
  /** Checks the working copy that is there before it is replaced or removed; throws to forbid that. */
  precondition?: ((own: object | undefined) => void) | undefined;
}

export class WorkingCopies {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * The working copy of an article.
   *
   * @throws Failure `missing` if there is none
   */
  read(articleId: number): Promise<WorkingCopy> {
    return find(this.#db, articleId);
  }

  /**
   * Saves the working copy of a published article in place of the one it has.
   *
   * @throws Failure `missing`, `conflict` for a draft, `invalid` for a category or tag that does not
   * exist, and whatever `saver` throws
   */
  save(articleId: number, changes: WorkingChanges, saver: Saver): Promise<WorkingCopy> {
    return this.#db.transaction().execute(async (tx) => {
      await checkReferences(tx, changes);
      const article = await lockArticle(tx, articleId);
      saver.check(article);
      saver.check({ ...article, ...changes });
      if (!article.is_published) throw notPublished();
      const before = await findMaybe(tx, articleId);
      saver.precondition?.(before && ownOf(before));
      const saved = {
        revision: article.revision,
        changes: sql<WorkingChanges>`${JSON.stringify(changes)}::jsonb`,
        saved_at: sql<Date>`clock_timestamp()`,
        saved_by: saver.key,
      };
      await tx
        .insertInto('content.working_copy')
        .values({ article_id: articleId, ...saved })
        .onConflict((conflict) => conflict.column('article_id').doUpdateSet(saved))
        .execute();
      return find(tx, articleId);
    });
  }

  /**
   * Removes the working copy of an article.
   *
   * @throws Failure `missing`, and whatever `saver` throws
   */
  remove(articleId: number, saver: Saver): Promise<void> {
    return this.#db.transaction().execute(async (tx) => {
      saver.check(await lockArticle(tx, articleId));
      const copy = await find(tx, articleId);
      saver.precondition?.(ownOf(copy));
      await tx.deleteFrom('content.working_copy').where('article_id', '=', articleId).execute();
    });
  }

  /**
   * Makes the changes of a working copy to its article, in one commit.
   *
   * @param seen the working copy as it was read
   * @param mayHaveChanged whether the article may be another than the working copy was made for
   * @throws Failure `missing`, `conflict` if the working copy, or the article, is not as it was, or as
   * `ArticleStore.update`
   */
  publish(
    articleId: number,
    seen: WorkingCopy,
    mayHaveChanged: boolean,
    writer: Writer,
  ): Promise<UpdatedArticle> {
    return this.#db.transaction().execute(async (tx) => {
      // Before the article, as every writer does.
      await checkReferences(tx, seen.changes);
      const article = await lockArticle(tx, articleId);
      const copy = await find(tx, articleId);
      if (copy.saved_at.getTime() !== seen.saved_at.getTime()) throw changedMeanwhile();
      if (!article.is_published) throw notPublished();
      if (!copy.is_current && !mayHaveChanged) throw articleChanged(copy.revision, article.revision);
      const published = await updateIn(tx, articleId, copy.changes, writer);
      await tx.deleteFrom('content.working_copy').where('article_id', '=', articleId).execute();
      return published;
    });
  }
}

/** Picks the part of a working copy that a save changes. */
function ownOf({ revision, changes, saved_at, saved_by }: WorkingCopy): object {
  return { revision, changes, saved_at, saved_by };
}

async function lockArticle(tx: Transaction<ContentTables>, id: number) {
  return tx
    .selectFrom('content.article')
    .select(['is_published', 'category_id', 'author_ids', 'revision'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Failure('missing', 'this article does not exist'));
}

async function find(db: Kysely<ContentTables>, articleId: number): Promise<WorkingCopy> {
  const copy = await findMaybe(db, articleId);
  if (copy === undefined) throw new Failure('missing', 'the article has no working copy');
  return copy;
}

function findMaybe(db: Kysely<ContentTables>, articleId: number): Promise<WorkingCopy | undefined> {
  return db
    .selectFrom('content.working_copy as copy')
    .innerJoin('content.article as article', 'article.id', 'copy.article_id')
    .leftJoin('content.api_key as key', 'key.prefix', 'copy.saved_by')
    .select(['copy.revision', 'copy.changes', 'copy.saved_at', 'copy.saved_by', 'key.name as key_name'])
    .select(({ eb }) => eb('copy.revision', '=', eb.ref('article.revision')).as('is_current'))
    .where('copy.article_id', '=', articleId)
    .executeTakeFirst() as Promise<WorkingCopy | undefined>;
}

function notPublished(): Failure {
  return new Failure('conflict', 'the article is a draft, which no reader sees: change it by PATCH', {
    code: 'not_published',
  });
}

function changedMeanwhile(): Failure {
  return new Failure(
    'conflict',
    'the working copy was saved again in the meantime; look at it, then repeat this',
    {
      code: 'working_copy_changed',
    },
  );
}

function articleChanged(from: number, to: number): Failure {
  return new Failure(
    'conflict',
    `the article has changed since the working copy was saved (revision ${from}, now ${to}): look at it, then` +
      ' save the working copy again, or publish it with the ETag of the article in If-Match',
    { code: 'article_changed' },
  );
}
