import { writePrecondition } from '@pressroom/common/caching/conditional';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { idMember, idParameter, text } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { type KeyOwner, requireArticle, requireReach, requireScope } from './api-keys.ts';
import { ASSIGNEE, termIds } from './articles/detail.ts';
import { SHOWN_AUTHOR } from './articles/list-rows.ts';
import { articlePath, reviewState, termReference } from './articles/schema.ts';
import { type Actor, envelope, keyMember, keyOf, success, writtenBy } from './envelope.ts';
import { actorOf, logWrite, ownerOf, replyPrivately, writtenHeaders } from './requests.ts';
import type { ContentTables, StoredStep } from './tables.ts';

/** The longest comment of a step, in characters. */
const LONGEST_COMMENT = 2000;

/** How many steps of a review are kept. */
const MOST_STEPS = 50;

/** How far drafts under review are counted. */
const MOST_COUNTED = 1000;

const STATES = ['none', ...reviewState.options] as const;

type State = (typeof STATES)[number];

/** Body of a PUT: what a draft becomes. */
const reviewPut = z
  .strictObject({
    state: z.enum(STATES, 'must be none, submitted, returned or approved'),
    comment: text(LONGEST_COMMENT).nullish().describe('For whoever reads it next; `returned` takes one.'),
  })
  .refine(({ state, comment }) => state !== 'returned' || (comment ?? '').trim() !== '', {
    path: ['comment'],
    message: 'must say what is to be changed',
    params: { code: 'required' },
  });

const timestamp = z.iso.datetime({ offset: true });

const reviewAnswer = envelope(
  z.object({
    state: z.enum(STATES),
    revision: z.int().describe('The revision of the article that this is about.'),
    steps: z
      .array(
        z.object({
          state: reviewState,
          comment: z.string().nullable(),
          at: timestamp,
          key: keyMember,
          is_change: z.boolean().describe('That the text was changed after it was approved.'),
        }),
      )
      .describe('How it came to be so, the latest last.'),
    may: z.array(z.enum(STATES)).describe('What whoever asks may make of it now.'),
  }),
);

const countsQuery = z.strictObject({
  responsible: idParameter().optional().describe('The id of an author: what is by them or assigned to them.'),
});

const countsAnswer = envelope(z.object({ submitted: z.int(), returned: z.int(), approved: z.int() }));

const assigneePut = z.strictObject({
  author_id: idMember('must be the id of an author, or null')
    .nullable()
    .describe('Who works on it; null for nobody.'),
});

const assigneeAnswer = envelope(z.object({ assignee: termReference.nullable() }));

const TAGS = ['review'];
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503);

/** The operations on what the desk decides about drafts before readers see them. */
export function reviewOperations(reviews: Reviews) {
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getReview',
      summary: 'Read where the review of a draft stands, and how it came to be so',
      params: articlePath,
      response: {
        200: reviewAnswer,
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 404, 429, 503),
      },
    },
    handler: (request, reply) => {
      const owner = ownerOf(request);
      return replyPrivately(request, reply, async () => {
        const review = await reviews.read(request.params.id);
        return {
          value: success('Review found', shown(review, reviews.openTo(owner, review))),
          own: ownOf(review),
        };
      });
    },
  });
  const put = operation({
    schema: {
      tags: TAGS,
      operationId: 'putReview',
      summary: 'Submit a draft, approve it, send it back with a comment, or take it out of review',
      description:
        'Submitting is for whoever may change the draft, the rest for whoever may publish it. Repeating the latest' +
        ' step changes nothing. `If-Match` has the ETag of the review, which changes with the article too.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      body: reviewPut,
      response: { 200: reviewAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const owner = ownerOf(request);
      const { state, comment = null } = request.body;
      const { review, repeated } = await reviews.put(id, { state, comment }, reviewerOf(request, owner));
      if (!repeated) logWrite(request, 'review_updated', { article: id, review: state });
      return reply
        .headers(writtenHeaders(ownOf(review)))
        .send(success('Review updated', shown(review, reviews.openTo(owner, review))));
    },
  });
  const count = operation({
    schema: {
      tags: TAGS,
      operationId: 'countReviews',
      summary: 'Count the drafts under review',
      description: `Each state up to ${MOST_COUNTED}. \`?review=STATE\` of the list of articles shows them.`,
      querystring: countsQuery,
      response: { 200: countsAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => ({
        value: success('Reviews counted', await reviews.count(request.query.responsible)),
      })),
  });
  const assign = operation({
    schema: {
      tags: TAGS,
      operationId: 'assignArticle',
      summary: 'Assign an article to an author, who may then change it while it is a draft',
      description: '`If-Match` may have the ETag of the answer to an earlier one.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      body: assigneePut,
      response: {
        200: assigneeAnswer,
        ...problemResponses(400, 401, 403, 404, 412, 413, 415, 422, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const assignee = await reviews.assign(
        id,
        request.body.author_id,
        reviewerOf(request, ownerOf(request)),
      );
      logWrite(request, 'assignment_updated', { article: id, author: assignee?.id ?? 0 });
      return reply
        .headers(writtenHeaders({ author: assignee?.id ?? null }))
        .send(success('Article assigned', { assignee }));
    },
  });
  return { read, put, count, assign };
}

function reviewerOf(request: FastifyRequest, owner: KeyOwner): Reviewer {
  return { owner, actor: actorOf(request), precondition: writePrecondition(request) };
}

function shown({ state, article, steps }: Review, may: State[]) {
  return {
    state,
    revision: article.revision,
    steps: steps.map(({ key, key_name, at, is_change = false, ...step }) => ({
      ...step,
      at: new Date(at).toISOString(),
      key: keyOf(key, key_name),
      is_change,
    })),
    may,
  };
}

/** What changes with every step, and with the article that is judged. */
function ownOf({ state, steps, article }: Review): object {
  return { state, at: steps.at(-1)?.at ?? null, revision: article.revision };
}

interface Review {
  state: State;
  /** The latest last. */
  steps: (StoredStep & { key_name: string | null })[];
  article: Awaited<ReturnType<typeof findArticle>>;
}

interface Reviewer {
  owner: KeyOwner;
  actor: Actor;
  /** Checks the review that is there; throws to forbid the change. */
  precondition?: ((own: object) => void) | undefined;
}

/** Who may approve what: by the settings of the service. */
interface ReviewRules {
  own: 'allowed' | 'refused';
}

/** The reviews of drafts, and to whom articles are assigned, in the database. */
export class Reviews {
  readonly #db: Kysely<ContentTables>;
  readonly #rules: ReviewRules;

  constructor(db: Kysely<ContentTables>, rules: ReviewRules) {
    this.#db = db;
    this.#rules = rules;
  }

  /**
   * Where the review of an article stands.
   *
   * @throws Failure `missing`
   */
  async read(articleId: number): Promise<Review> {
    return reviewOf(this.#db, await findArticle(this.#db, articleId));
  }

  /** What somebody may make of it. */
  openTo(owner: KeyOwner, review: Review): State[] {
    return STATES.filter((state) => {
      if (state === 'none' && review.state === 'none') return false;
      try {
        this.#check(owner, review, state);
        return true;
      } catch (error) {
        if (error instanceof Failure) return false;
        throw error;
      }
    });
  }

  /**
   * Takes a step in the review of a draft, unless it is the one that was taken last.
   *
   * @throws Failure `missing`, `forbidden`, `conflict` for what is published or decided, and whatever
   * `reviewer.precondition` throws
   */
  put(
    articleId: number,
    { state, comment }: { state: State; comment: string | null },
    { owner, actor, precondition }: Reviewer,
  ): Promise<{ review: Review; repeated: boolean }> {
    return this.#db.transaction().execute(async (tx) => {
      const article = await findArticle(tx, articleId, true);
      const review = await reviewOf(tx, article);
      requireArticle(owner, { ...article, is_published: false });
      const last = review.steps.at(-1);
      const isLast =
        last === undefined || (last.key === actor.key && last.comment === comment && !last.is_change);
      // The answer to the first one was lost.
      if (review.state === state && isLast) return { review, repeated: true };
      precondition?.(ownOf(review));
      this.#check(owner, review, state);
      if (state === 'none') {
        await tx
          .deleteFrom('content.review')
          .where('article_id', '=', articleId)
          .where(writtenBy(actor), '=', actor.key)
          .execute();
        return { review: await reviewOf(tx, article), repeated: false };
      }
      const kept = review.steps.slice(1 - MOST_STEPS).map(({ key_name: _, ...step }) => step);
      const at = sql<Date>`clock_timestamp()`;
      const step = sql`jsonb_build_object('state', ${state}::text, 'comment', ${comment}::text, 'at', ${at}, 'key', ${actor.key}::text)`;
      const row = {
        state,
        steps: sql<StoredStep[]>`${JSON.stringify(kept)}::jsonb || ${step}`,
        changed_at: at,
        changed_by: writtenBy(actor),
      };
      await tx
        .insertInto('content.review')
        .values({ article_id: articleId, ...row })
        .onConflict((conflict) => conflict.column('article_id').doUpdateSet(row))
        .execute();
      return { review: await reviewOf(tx, article), repeated: false };
    });
  }

  #check(owner: KeyOwner, { state: current, steps, article }: Review, wanted: State): void {
    const last = steps.at(-1);
    if (wanted === 'submitted' || wanted === 'none')
      requireArticle(owner, { ...article, is_published: false });
    else {
      requireScope(owner, 'publish');
      requireReach(owner, article);
    }
    if (article.is_published) {
      const detail = 'the article is published: a review is for drafts';
      throw new Failure('conflict', detail, { code: 'already_published' });
    }
    if (wanted === 'approved' && this.#rules.own === 'refused' && isOwn(owner, article, steps)) {
      throw new Failure('forbidden', 'somebody else approves what you have written or submitted', {
        code: 'own_article',
      });
    }
    const isOpen = current === 'submitted' || (current === 'approved' && wanted === 'returned');
    if (wanted === 'submitted' || wanted === 'none' || isOpen) return;
    const who = keyOf(last?.key ?? null, last?.key_name ?? null)?.name ?? 'somebody';
    const detail = {
      none: 'the draft is not submitted',
      returned: `${who} has sent the draft back already`,
      approved: `${who} has approved the draft already`,
    }[current as Exclude<State, 'submitted'>];
    throw new Failure('conflict', `${detail}; look at it again`, { code: 'not_submitted' });
  }

  /** How many drafts are under review, each state up to a limit; of an author, by or assigned to them. */
  async count(responsible?: number): Promise<Record<'submitted' | 'returned' | 'approved', number>> {
    const concerned =
      responsible === undefined
        ? sql``
        : sql`and article_id in (
            select article_id from content.article_author where author_id = ${responsible}
            union all select article_id from content.assignment where author_id = ${responsible})`;
    const { rows } = await sql<{ state: 'submitted' | 'returned' | 'approved'; count: string }>`
      select named.state, (select count(*) from (
        select from content.review where review.state = named.state ${concerned} limit ${sql.lit(MOST_COUNTED)}
      ) as counted) as count
      from unnest(${[...reviewState.options]}::text[]) as named (state)`.execute(this.#db);
    const counted = Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
    return { submitted: 0, returned: 0, approved: 0, ...counted };
  }

  /**
   * Assigns an article to an author, or to nobody, and returns the author.
   *
   * @throws Failure `missing`, `forbidden`, `invalid` for an author that does not exist, and whatever
   * `precondition` throws
   */
  assign(articleId: number, authorId: number | null, { owner, actor, precondition }: Reviewer) {
    return this.#db.transaction().execute(async (tx) => {
      // Before the article, as every writer does.
      if (authorId !== null)
        await termIds(tx, 'authors', [authorId]).catch((error: unknown) => {
          throw error instanceof Failure && error.faults.length > 0 ? noSuchAuthor() : error;
        });
      const article = await findArticle(tx, articleId, true);
      requireReach(owner, article);
      if (article.assignee_id !== authorId) precondition?.({ author: article.assignee_id });
      if (authorId === null) {
        await tx
          .deleteFrom('content.assignment')
          .where('article_id', '=', articleId)
          .where(writtenBy(actor), '=', actor.key)
          .execute();
        return null;
      }
      const row = { author_id: authorId, assigned_by: writtenBy(actor) };
      await tx
        .insertInto('content.assignment')
        .values({ article_id: articleId, ...row })
        .onConflict((conflict) =>
          conflict
            .column('article_id')
            .doUpdateSet({ ...row, assigned_at: sql<Date>`clock_timestamp()` })
            .where(sql.ref('assignment.author_id'), '<>', authorId),
        )
        .execute();
      return tx
        .selectFrom('content.author')
        .select(['id', 'name', 'slug'])
        .where('id', '=', authorId)
        .executeTakeFirstOrThrow();
    });
  }
}

function noSuchAuthor(): Failure {
  return invalid([{ field: 'author_id', code: 'not_found', message: 'no author has this id' }]);
}

/** Whether somebody has written an article, or submitted it. */
function isOwn(
  { prefix, name, own_author: author }: KeyOwner,
  article: Review['article'],
  steps: StoredStep[],
) {
  const submitted = steps.findLast(({ state, is_change }) => state === 'submitted' && !is_change);
  return (
    submitted?.key === prefix ||
    (author != null && article.author_ids.includes(author)) ||
    article.author === name
  );
}

function findArticle(db: Kysely<ContentTables> | Transaction<ContentTables>, id: number, isLocked = false) {
  const query = db
    .selectFrom('content.article as article')
    .select([
      'id',
      'is_published',
      'category_id',
      'author_ids',
      'publish_at',
      'unpublish_at',
      'release',
      'revision',
    ])
    .select([SHOWN_AUTHOR, ASSIGNEE])
    .where('id', '=', id);
  return (isLocked ? query.forNoKeyUpdate() : query).executeTakeFirstOrThrow(
    () => new Failure('missing', 'this article does not exist'),
  );
}

async function reviewOf(db: Kysely<ContentTables>, article: Review['article']): Promise<Review> {
  const row: Pick<Selectable<ContentTables['content.review']>, 'state' | 'steps'> | undefined = await db
    .selectFrom('content.review')
    .select(['state', 'steps'])
    .where('article_id', '=', article.id)
    .executeTakeFirst();
  if (row === undefined) return { state: 'none', steps: [], article };
  const keys = row.steps.flatMap(({ key }) => (key === null ? [] : [key]));
  const names = await db
    .selectFrom('content.api_key')
    .select(['prefix', 'name'])
    .where('prefix', '=', sql<string>`any(${keys}::text[])`)
    .execute();
  const nameOf = new Map(names.map(({ prefix, name }) => [prefix, name]));
  const steps = row.steps.map((step) => ({ ...step, key_name: nameOf.get(step.key ?? '') ?? null }));
  return { state: row.state, steps, article };
}
