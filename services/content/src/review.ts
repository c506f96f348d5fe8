import { isDeepStrictEqual } from 'node:util';
import { writePrecondition } from '@pressroom/common/caching/conditional';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { idMember, idParameter, text } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { type KeyOwner, type Permitted, requireArticle, requireReach, requireScope } from './api-keys.ts';
import { ASSIGNEE, type DetailRow, termIds } from './articles/detail.ts';
import {
  type ArticleChange,
  articlePath,
  DETAIL_MEMBERS,
  type ReviewState,
  reviewState,
  SHOWN_AUTHOR,
  termReference,
} from './articles/schema.ts';
import { updateIn, type Writer } from './articles/store.ts';
import { type Actor, deskPrefix, envelope, isBy, keyMember, keyOf, success, writtenBy } from './envelope.ts';
import { actorOf, logWrite, ownerOf, replyPrivately, writerOf, writtenHeaders } from './requests.ts';
import { PLANNED_IDS } from './schedule.ts';
import type { ContentTables, StoredStep } from './tables.ts';

/** The longest comment of a step, in characters. */
const LONGEST_COMMENT = 2000;

const MAX_STEPS = 50;

/** The limit of counts of states that nothing keeps; an index counts so many in some milliseconds. */
const MAX_COUNTED = 100_000;

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
        z
          .object({
            state: reviewState,
            comment: z.string().nullable(),
            at: timestamp,
            key: keyMember,
            is_change: z.boolean().describe('True if the text was changed after it was approved.'),
            ends_plan: z.boolean().describe('True if the draft was planned until it was sent back.'),
          })
          .meta({ id: 'ReviewStep' }),
      )
      .describe('The steps that led to the state, the latest last.'),
    may: z.array(z.enum(STATES)).describe('The states to which the caller may bring it now.'),
  }),
);

const countsQuery = z.strictObject({
  responsible: idParameter().optional().describe('The id of an author: what is by them or assigned to them.'),
});

const countsAnswer = envelope(
  z.object({
    ...{ submitted: z.int(), returned: z.int(), approved: z.int() },
    published: z.int(),
    draft: z.int().describe('All that are not published: under review and scheduled ones too.'),
    scheduled: z.int().optional().describe('What has a plan; not with `responsible`.'),
    deleted: z.int().optional().describe('What is in the trash; not with `responsible`.'),
  }),
);

type Counts = z.infer<typeof countsAnswer>['data'];

const assigneePut = z.strictObject({
  author_id: idMember('must be the id of an author, or null')
    .nullable()
    .describe('The author who works on it; null for nobody.'),
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
      description:
        '`steps` has the last 50 in order, `may` the states that this key may set now. `PUT` takes' +
        ' the `ETag` in `If-Match`, which changes with the text too: nobody approves what they have' +
        ' not seen.',
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
        'Submitting is for whoever may change the draft, the rest for whoever may publish it. Sending it back ends' +
        ' its plan (`publish_at`, `release`). Repeating the latest step changes nothing. `If-Match` has the ETag of' +
        ' the review, which changes with the article too.',
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
      summary: 'Count the articles in each state',
      description: `Those under review, planned or deleted up to ${MAX_COUNTED}. \`?review=STATE\` and \`?status=\` of the list of articles, the schedule and the trash show them.`,
      querystring: countsQuery,
      response: { 200: countsAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => ({
        value: success('Articles counted', await reviews.count(request.query.responsible)),
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
    steps: steps.map(({ key, key_name, at, is_change = false, ends_plan = false, ...step }) => ({
      ...step,
      at: new Date(at).toISOString(),
      key: keyOf(key, key_name),
      is_change,
      ends_plan,
    })),
    may,
  };
}

/** Changes with every step, and with the article that is judged. */
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

/** The rules of approval in the service's settings. */
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

  /** @throws Failure `missing` */
  async read(articleId: number): Promise<Review> {
    return reviewOf(this.#db, await findArticle(this.#db, articleId));
  }

  /** The states to which somebody may bring it. */
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
      const isLast = last === undefined || (isBy(actor, last) && last.comment === comment && !last.is_change);
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
      // Its writer sees a returned draft before it is published.
      const endsPlan = state === 'returned' && publishes(article);
      if (endsPlan) await updateIn(tx, articleId, { publish_at: null, release: null }, { actor });
      const kept = review.steps.slice(1 - MAX_STEPS).map(({ key_name: _, ...step }) => step);
      const at = sql<Date>`clock_timestamp()`;
      const step = sql`jsonb_build_object('state', ${state}::text, 'comment', ${comment}::text, 'at', ${at}, 'key', ${actor.key}::text, 'account', ${actor.account}::text, 'ends_plan', ${endsPlan}::boolean)`;
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
      return { review: await reviewOf(tx, await findArticle(tx, articleId)), repeated: false };
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

  /**
   * Refuses, where nobody approves their own, what somebody at the desk writes by publishing it.
   *
   * @throws Failure `forbidden` with code `own_article`
   */
  refuseUnapproved({ prefix }: KeyOwner): void {
    if (this.#rules.own === 'refused' && prefix.startsWith(deskPrefix(''))) throw unapproved();
  }

  /**
   * Returns the writer of an article, who, where nobody approves their own, publishes and plans no text of
   * theirs but the approved one.
   */
  writerOf(request: FastifyRequest, change: ArticleChange): Writer {
    const owner = ownerOf(request);
    const writer = writerOf(request, change);
    if (this.#rules.own === 'allowed' || !owner.prefix.startsWith(deskPrefix(''))) return writer;
    return { ...writer, approve: (tx, before) => requireApproval(tx, owner, before, change) };
  }

  /** Counts the articles in each state; of an author, those by or assigned to them. */
  async count(responsible?: number): Promise<Counts> {
    const theirs = sql`select article_id from content.article_author where author_id = ${responsible}
      union select article_id from content.assignment where author_id = ${responsible}`;
    const concerned = responsible === undefined ? sql`` : sql`and article_id in (${theirs})`;
    const counted = (rows: RawBuilder<unknown>) =>
      sql`(select count(*)::integer from (${rows} limit ${sql.lit(MAX_COUNTED)}) as counted)`;
    const inReview = (state: ReviewState) =>
      counted(sql`select from content.review where state = ${state} ${concerned}`);
    const inAll = (isPublished: boolean) =>
      responsible === undefined
        ? sql`(select coalesce(sum(articles), 0)::integer from content.list_count
            where kind = 'all' and id = 0 and period = 'all' and is_published = ${isPublished})`
        : counted(sql`select from (${theirs}) as theirs join content.article on article.id = article_id
            where is_published = ${isPublished}`);
    const { rows } = await sql<Counts>`select ${inReview('submitted')} as submitted,
      ${inReview('returned')} as returned, ${inReview('approved')} as approved,
      ${inAll(true)} as published, ${inAll(false)} as draft
      ${
        responsible === undefined
          ? sql`, ${counted(PLANNED_IDS)} as scheduled,
            ${counted(sql`select from content.deleted_article`)} as deleted`
          : sql``
      }`.execute(this.#db);
    return rows[0] as Counts;
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

/** True if readers get to see an article by this, now or later. */
export function publishes({ is_published, publish_at, release }: Permitted): boolean {
  return is_published === true || publish_at != null || release != null;
}

/** The members that an approval is for; `follow_review` in articles.sql compares them too. */
const APPROVED = [
  'title',
  'content',
  'excerpt',
  'featured_image',
  ...DETAIL_MEMBERS,
  'extra',
  'corrections',
] as const;

/**
 * Checks that readers do not get to see by a change what its writer has written and nobody approved. The
 * article is locked.
 *
 * @throws Failure `forbidden` with code `own_article`
 */
async function requireApproval(
  tx: Transaction<ContentTables>,
  owner: KeyOwner,
  before: DetailRow,
  change: ArticleChange,
): Promise<void> {
  if (before.is_published || !publishes({ ...before, ...change })) return;
  const article = await findArticle(tx, before.id);
  const { state, steps } = await reviewOf(tx, article);
  const isAnother = APPROVED.some(
    (name) => change[name] !== undefined && !isDeepStrictEqual(change[name], before[name]),
  );
  const isRefused = isAnother || (publishes(change) && state !== 'approved');
  if (isRefused && isOwn(owner, article, steps)) throw unapproved();
}

function unapproved(): Failure {
  return new Failure('forbidden', 'somebody else approves what you have written, before you publish it', {
    code: 'own_article',
  });
}

/** True if somebody has begun an article, stands in its byline, or has submitted it. */
function isOwn(
  { prefix: key, name, account = null, own_author: author }: KeyOwner,
  article: Review['article'],
  steps: StoredStep[],
) {
  const submitted = steps.findLast(({ state, is_change }) => state === 'submitted' && !is_change);
  const hasBegun = isBy({ key, account }, { key: article.begun_by, account: article.begun_account });
  const isOfNamesake = article.begun_by === key && !hasBegun;
  return (
    hasBegun ||
    (submitted !== undefined && isBy({ key, account }, submitted)) ||
    (author != null && article.author_ids.includes(author)) ||
    (article.author === name && !isOfNamesake)
  );
}

/** The key that wrote the oldest revision kept of `article`: a byline says what anybody writes in it. */
const BEGUN_BY = sql<string | null>`(
  select created_by from (
    select revision as number, revised_by as created_by
    union all
    select number, created_by from content.article_revision where article_id = article.id
  ) as kept order by number limit 1
)`.as('begun_by');

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
      'begun_account',
    ])
    .select([SHOWN_AUTHOR, ASSIGNEE, BEGUN_BY])
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
