import { setTimeout as delay } from 'node:timers/promises';
import { lockNumber } from '@pressroom/common/database/database';
import { Failure, type FieldFault, invalid } from '@pressroom/common/failures/failure';
import { idParameter, integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import {
  type ArticleChange,
  articlePatchAnswer,
  articlePath,
  articlePut,
  revisedArticle,
} from './articles/schema.ts';
import type { ArticleStore } from './articles/store.ts';
import { subjectsOfChange } from './cache-subjects.ts';
import { cursorEnvelope, envelope, keyMember, keyOf, success, successCursorPage } from './envelope.ts';
import {
  type ArticleRules,
  articleFaults,
  logWrite,
  refuseAllButShort,
  replyPrivately,
  writtenHeaders,
} from './requests.ts';
import type { Reviews } from './review.ts';
import { type ContentTables, membersOfJson, type RowAsJson } from './tables.ts';
import { pruneDeletedArticles } from './trash.ts';

const timestamp = z.iso.datetime({ offset: true });

const revision = z
  .object({
    revision: z.int().describe('1 is the article as it was created.'),
    created_at: timestamp,
    key: keyMember,
    changed: z
      .array(z.string())
      .nullable()
      .describe('The members that are other than in the revision before; null if that is not kept.'),
    is_published: z.boolean().describe('True if readers have seen it: it was published, or is.'),
  })
  .meta({ id: 'RevisionListItem', description: 'A revision of an article, without the article.' });

const revisionListQuery = z.strictObject({
  per_page: integerParameter(1, 100).default(20),
  cursor: integerParameter(1, 2 ** 31 - 1)
    .optional()
    .describe('`meta.next_cursor` of the page before.'),
});

const revisionListAnswer = cursorEnvelope(revision, z.int());

const revisionPath = articlePath.extend({ revision: idParameter() });

const revisionAnswer = envelope(
  revision
    .extend({
      article: revisedArticle.describe(
        'As a PUT takes it, and `published_at`; of its tags and authors, the slugs of those that still exist.',
      ),
    })
    .meta({ id: 'Revision', description: 'A revision of an article, whole.' }),
);

/** Body of a restore: members of the article that shall be other than in the revision. */
const revisionRestore = articlePut.partial().nullish();

const revisionRestoredAnswer = articlePatchAnswer;

/** The dependencies of the operations on revisions. */
interface RevisionParts {
  revisions: RevisionStore;
  articles: ArticleStore;
  /** The checks of revisions before they are restored. */
  rules: ArticleRules;
  reviews: Pick<Reviews, 'writerOf'>;
  /** See `ArticleParts`. */
  changed: (subjects?: ReadonlySet<string>) => void;
}

const TAGS = ['revisions'];

/** Members that a restore brings back: what an article says, not its place or its state. */
const RESTORED = revisedArticle.omit({
  is_published: true,
  slug: true,
  published_at: true,
  // A correction stays.
  corrections: true,
});

/** The operations on the revisions of articles. */
export function revisionOperations({ revisions, articles, rules, reviews, changed }: RevisionParts) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listRevisions',
      summary: 'List the revisions of an article, the newest first, which is the article as it is',
      description:
        'Each commit that changed the article is one, numbered from 1; the last 100 of the last 365' +
        ' days are kept (`CONTENT_REVISIONS_KEPT`, `CONTENT_REVISIONS_DAYS`). `changed` names the' +
        ' members that differ from the revision before.',
      params: articlePath,
      querystring: revisionListQuery,
      response: {
        200: revisionListAnswer,
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 404, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { per_page: perPage, cursor } = request.query;
        const found = await revisions.list(request.params.id, perPage, cursor);
        const page = { cursorOf: ({ revision }: Revision) => revision, shown: entry };
        return { value: successCursorPage('Revisions found', found, perPage, page) };
      }),
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getRevision',
      summary: 'Read a revision of an article, whole',
      description:
        '`article` has the form of a PUT, so that it can be compared or sent again. Of its tags and' +
        ' authors, those that still exist.',
      params: revisionPath,
      response: { 200: revisionAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 404, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const found = await revisions.read(request.params.id, request.params.revision);
        const value = success('Revision found', { ...entry(found), article: articleOf(found) });
        return { value };
      }),
  });
  const restore = operation({
    schema: {
      tags: TAGS,
      operationId: 'restoreRevision',
      summary: 'Make an article say what it said in a revision',
      description:
        'All members but `is_published`, `slug` and `corrections`, and those that the body gives in their place; a new revision,' +
        ' unless the article says all of it already. The HTML and `extra` have to be allowed today. Returns what a PATCH does.',
      params: revisionPath,
      responseHeaders: { 200: ['ETag'] },
      body: revisionRestore,
      response: {
        200: revisionRestoredAnswer,
        ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503),
      },
    },
    handler: async (request, reply) => {
      const { id, revision } = request.params;
      const body = restored(await revisions.read(id, revision), request.body ?? {});
      const writer = reviews.writerOf(request, body);
      const is_short = refuseAllButShort(await articleFaults(rules, body, writer.actor.key));
      const { changes, own, place } = await articles.update(id, { ...body, is_short }, writer);
      changed(subjectsOfChange(place));
      logWrite(request, 'article_updated', { article: id });
      return reply.headers(writtenHeaders(own)).send(success('Revision restored', changes));
    },
  });
  return { list, read, restore };
}

function entry({ revision, created_at, created_by, key_name, changed, is_published }: Revision) {
  return {
    revision,
    created_at: created_at.toISOString(),
    key: keyOf(created_by, key_name),
    // The column of a member with several values has their ids.
    changed: changed?.map((column) => column.replace(/^(\w+)_ids$/, '$1s')).sort() ?? null,
    is_published,
  };
}

/** Returns the article of a revision as answers show it. */
function articleOf({ members, content, tags, authors }: WholeRevision) {
  const { corrections, ...others } = membersOfJson(members);
  const known = { tags: tags.filter(exists), authors: authors.filter(exists) };
  return revisedArticle.parse({ ...others, ...(corrections != null && { corrections }), content, ...known });
}

function exists(slug: string | null): slug is string {
  return slug !== null;
}

/**
 * Returns the change that restores a revision.
 *
 * @throws Failure `invalid` if the revision has tags or authors that no longer exist, and `others` none
 */
function restored(revision: WholeRevision, others: ArticleChange) {
  const faults = (['tags', 'authors'] as const).flatMap((field): FieldFault[] => {
    if (others[field] !== undefined || revision[field].every(exists)) return [];
    const message = `some ${field} of this revision no longer exist; give the ones that the article should have`;
    return [{ field, code: 'not_found', message }];
  });
  if (faults.length > 0) throw invalid(faults);
  return { ...RESTORED.parse(articleOf(revision)), ...others };
}

interface Revision {
  revision: number;
  created_at: Date;
  created_by: string | null;
  key_name: string | null;
  /** The columns that differ from the revision before; null if that is not kept. */
  changed: string[] | null;
  is_published: boolean;
}

interface WholeRevision extends Revision {
  /** The values of its columns as JSON, all but the content. */
  members: RowAsJson;
  content: string;
  /** The slugs of its tags and authors in their order; null for one that no longer exists. */
  tags: (string | null)[];
  authors: (string | null)[];
}

/** The revisions of articles in the database. */
export class RevisionStore {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * The newest revisions of an article before the number `before`: one more than `perPage` if there are as
   * many.
   *
   * @throws Failure `missing` if the article does not exist
   */
  async list(articleId: number, perPage: number, before = 2 ** 31 - 1): Promise<Revision[]> {
    const { rows } = await sql<Revision>`
      select ${ENTRY} from ${revisionsOf(articleId)} where revision < ${before}
      order by revision desc limit ${perPage + 1}
    `.execute(this.#db);
    if (rows.length === 0 && !(await this.#exists(articleId)))
      throw new Failure('missing', 'this article does not exist');
    return rows;
  }

  async #exists(articleId: number): Promise<boolean> {
    const query = this.#db.selectFrom('content.article').select('id').where('id', '=', articleId);
    return (await query.executeTakeFirst()) !== undefined;
  }

  /**
   * One revision of an article.
   *
   * @throws Failure `missing` if there is none, or not any more
   */
  async read(articleId: number, revision: number): Promise<WholeRevision> {
    const { rows } = await sql<WholeRevision>`
      select ${ENTRY}, whole.members, whole.content, ${slugsOf('tag')} as tags, ${slugsOf('author')} as authors
      from ${revisionsOf(articleId)} cross join lateral (
        select
          to_jsonb(article) - 'content' || coalesce((
            select jsonb_object_agg(key, value order by later.number desc)
            from content.article_revision as later cross join jsonb_each(later.members)
            where later.article_id = article.id and later.number >= numbered.revision
          ), '{}') as members,
          coalesce((
            select later.content from content.article_revision as later
            where later.article_id = article.id and later.number >= numbered.revision and later.content is not null
            order by later.number limit 1
          ), article.content) as content
        from content.article as article where article.id = numbered.article_id
      ) as whole
      where revision = ${revision}
    `.execute(this.#db);
    const [found] = rows;
    if (found === undefined)
      throw new Failure('missing', 'the article has no such revision, or it is no longer kept');
    return found;
  }
}

/** The slugs of the tags or authors of the article `whole`. */
function slugsOf(noun: 'tag' | 'author') {
  return sql`array(
    select term.slug
    from jsonb_array_elements_text(whole.members -> ${sql.lit(`${noun}_ids`)}) with ordinality as given (id, place)
    left join ${sql.id('content', noun)} as term on term.id = given.id::integer order by place
  )`;
}

/** The revisions of an article, the current one among them, and their keys. */
function revisionsOf(articleId: number) {
  return sql`(
    select id as article_id, revision, revised_at as created_at, revised_by as created_by
    from content.article where id = ${articleId}
    union all
    select former.article_id, former.number, former.created_at, former.created_by
    from content.article join content.article_revision as former on former.article_id = id where id = ${articleId}
  ) as numbered left join content.api_key as key on key.prefix = created_by`;
}

/** The columns of a {@link Revision}; the one before it has what it changed, a later one what it had. */
const ENTRY = sql`revision, numbered.created_at, created_by, key.name as key_name, (
  select array(select jsonb_object_keys(former.members))
    || case when former.content is null then '{}' else '{content}'::text[] end
  from content.article_revision as former
  where former.article_id = numbered.article_id and former.number = numbered.revision - 1
) as changed, coalesce((
  select (later.members -> 'is_published')::boolean from content.article_revision as later
  where later.article_id = numbered.article_id and later.number >= numbered.revision and later.members ? 'is_published'
  order by later.number limit 1
), (select is_published from content.article where id = numbered.article_id)) as is_published`;

/** Limits of one step: articles examined, and revisions or deleted articles removed. */
const [LOOKED_AT, REMOVED] = [100, 1000];

/** The pause between steps, in ms: no request waits for them. */
const PAUSE_MS = 10;

interface Kept {
  /** Number of revisions of an article, the current one among them. */
  revisions: number;
  /** For how many days a former revision. */
  days: number;
  /** For how many days a deleted article can be restored. */
  trashDays: number;
}

type Pruned = Record<'revisions' | 'articles', number>;

/**
 * Removes expired revisions and deleted articles in small steps, and returns how many. Ends early if another
 * process does the same.
 */
export async function prune(db: Kysely<ContentTables>, kept: Kept, signal?: AbortSignal): Promise<Pruned> {
  const pruned = { revisions: 0, articles: 0 };
  let after = 0;
  for (;;) {
    const step = await alone(db, (tx) => pruneDeletedArticles(tx, kept.trashDays, REMOVED));
    pruned.articles += step ?? 0;
    if (step !== REMOVED) break;
    await delay(PAUSE_MS, undefined, { signal });
  }
  for (;;) {
    const step = await alone(db, (tx) => pruneRevisions(tx, kept, after));
    if (step === undefined) return pruned;
    pruned.revisions += step.removed;
    if (step.removed < REMOVED) after = step.last;
    await delay(PAUSE_MS, undefined, { signal });
  }
}

/** Runs a step, undefined if another process is at one. */
function alone<Result>(
  db: Kysely<ContentTables>,
  step: (tx: Transaction<ContentTables>) => Promise<Result>,
): Promise<Result | undefined> {
  return db.transaction().execute(async (tx) => {
    const lock = sql<{
      held: boolean;
    }>`select pg_try_advisory_xact_lock(${lockNumber('prune revisions')}) as held`;
    const { rows } = await lock.execute(tx);
    return rows[0]?.held ? step(tx) : undefined;
  });
}

/**
 * Removes the oldest revisions of the next articles after the id `after`. Always the oldest, whatever their
 * times: later ones do without those before them.
 */
async function pruneRevisions(
  tx: Kysely<ContentTables>,
  { revisions, days }: Kept,
  after: number,
): Promise<{ last: number; removed: number } | undefined> {
  const { rows } = await sql<{ last: number | null; removed: number }>`
    with step as materialized (
      select article_id, greatest(
        max(number) + 1 - ${revisions}::integer, max(number) filter (where replaced_at < ${daysAgo(days)})
      ) as most
      from content.article_revision where article_id > ${after}
      group by article_id order by article_id limit ${LOOKED_AT}
    ), removed as (
      delete from content.article_revision where (article_id, number) in (
        select former.article_id, former.number
        from step join content.article_revision as former on former.article_id = step.article_id and number <= most
        order by former.article_id, former.number limit ${REMOVED}
      ) returning number
    )
    select (select max(article_id) from step) as last, (select count(*) from removed)::integer as removed
  `.execute(tx);
  const [{ last, removed } = { last: null, removed: 0 }] = rows;
  return last === null ? undefined : { last, removed };
}

function daysAgo(days: number): RawBuilder<Date> {
  return sql<Date>`clock_timestamp() - make_interval(days => ${days}::integer)`;
}
