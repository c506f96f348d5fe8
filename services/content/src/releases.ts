import { PRIVATE, writePrecondition } from '@pressroom/common/caching/conditional';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { z } from 'zod';
import { requireAnyCategory } from './api-keys.ts';
import { databaseTime, timeFaults } from './articles/publication.ts';
import {
  articleReference,
  deletedAnswer,
  pageParameters,
  releaseName,
  timeAhead,
} from './articles/schema.ts';
import {
  type Actor,
  envelope,
  type Page,
  pagedEnvelope,
  success,
  successPage,
  type Total,
  writtenBy,
} from './envelope.ts';
import { actorOf, logWrite, ownerOf, replyPrivately, writtenHeaders } from './requests.ts';
import type { ContentTables } from './tables.ts';

const timestamp = z.iso.datetime({ offset: true });

/** Body of `PUT`. */
const releasePut = z.strictObject({
  publish_at: timeAhead.describe('When its articles are published; null: not decided yet.'),
});

const release = z
  .object({
    name: z.string(),
    publish_at: timestamp.nullable(),
    published_at: timestamp.nullable().describe('When it was published; null before.'),
    created_at: timestamp,
  })
  .meta({ id: 'ReleaseListItem' });

type ShownRelease = z.infer<typeof release>;

const releasePath = z.object({ name: releaseName });

const releaseListQuery = z.strictObject(pageParameters);

const releaseListAnswer = pagedEnvelope(z.array(release));

/** Answer of `PUT`. */
const releaseAnswer = envelope(release);

const releaseDetailAnswer = envelope(
  release.extend({
    articles: z.array(articleReference).describe('Those that will be published; none once they are.'),
  }),
);

const TAGS = ['releases'];
const READ_PROBLEMS = problemResponses(400, 401, 403, 404, 429, 503);
const PUT_PROBLEMS = problemResponses(400, 401, 403, 409, 412, 413, 415, 422, 429, 500, 503);

/** The operations on releases; all of them need a key. */
export function releaseOperations(releases: ReleaseStore) {
  return { ...reads(releases), ...writes(releases) };
}

function reads(releases: ReleaseStore) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listReleases',
      summary: 'List releases, those without a time first, then the latest first',
      description:
        'In pages by cursor. A release has at most 100 articles, which are published together or not' +
        ' at all.',
      querystring: releaseListQuery,
      response: { 200: releaseListAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) => {
      const page = { page: request.query.page, perPage: request.query.per_page };
      return replyPrivately(request, reply, async () => {
        const { releases: found, total } = await releases.page(page);
        return { value: successPage('Releases found', found.map(shown), page, total) };
      });
    },
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getRelease',
      summary: 'Read a release with the articles that will be published with it',
      description: 'Once it is published, it has `published_at` and no articles.',
      params: releasePath,
      response: { 200: releaseDetailAnswer, ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { release, articles } = await releases.read(request.params.name);
        const own = shown(release);
        return { value: success('Release found', { ...own, articles }), own };
      }),
  });
  return { list, read };
}

function writes(releases: ReleaseStore) {
  const put = operation({
    schema: {
      tags: TAGS,
      operationId: 'putRelease',
      summary: 'Make a release, or give it another time, which all of its articles follow',
      description:
        '201 for a new one, 200 otherwise. `publish_at` may be null: its articles then wait for a' +
        ' time. A published release is 409 for another time, and 200 for the same.',
      params: releasePath,
      responseHeaders: { 200: ['ETag'], 201: ['ETag', 'Location'] },
      body: releasePut,
      response: { 200: releaseAnswer, 201: releaseAnswer, ...PUT_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { body, params } = request;
      const { release, isNew } = await releases.put(
        params.name,
        body.publish_at,
        actorOf(request),
        permission(request),
      );
      logWrite(request, isNew ? 'release_created' : 'release_updated', { release: release.name });
      const own = shown(release);
      if (!isNew) return reply.headers(writtenHeaders(own)).send(success('Release updated', own));
      const headers = { ...writtenHeaders(own), location: `/api/releases/${release.name}` };
      return reply.code(201).headers(headers).send(success('Release created', own));
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteRelease',
      summary: 'Delete a release; its articles stay drafts, or published if they are',
      description: 'Publication does not happen; no article is deleted.',
      params: releasePath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 412, 429, 503) },
    },
    handler: async (request, reply) => {
      const { name } = request.params;
      await releases.delete(name, actorOf(request), permission(request));
      logWrite(request, 'release_deleted', { release: name });
      return reply.header('cache-control', PRIVATE).send(success('Release deleted', null));
    },
  });
  return { put, remove };
}

/** A key for one category decides nothing about the articles of others. */
function permission(request: FastifyRequest): ReleasePrecondition {
  requireAnyCategory(ownerOf(request));
  const condition = writePrecondition(request);
  return (release) => condition?.(release && shown(release));
}

function shown({ name, publish_at, published_at, created_at }: Release): ShownRelease {
  return {
    name,
    publish_at: publish_at?.toISOString() ?? null,
    published_at: published_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  };
}

type Release = Selectable<ContentTables['content.release']>;

interface ReleasedArticle {
  id: number;
  title: string;
  slug: string;
}

/** Checks a release before it is written; throws to forbid the write. */
type ReleasePrecondition = (release: Release | undefined) => void;

/** The releases in the database: articles that are published in one transaction. */
export class ReleaseStore {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /** A page of the releases, those without a time first, then the latest first, and how many there are. */
  async page({ page, perPage }: Page): Promise<{ releases: Release[]; total: Total }> {
    const [releases, { total }] = await Promise.all([
      this.#db
        .selectFrom('content.release')
        .selectAll()
        .orderBy('publish_at', 'desc')
        .orderBy('name')
        .offset((page - 1) * perPage)
        .limit(perPage)
        .execute(),
      this.#db
        .selectFrom('content.release')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow(),
    ]);
    return { releases, total: { total, isExact: true } };
  }

  /**
   * One release with the articles that will be published with it.
   *
   * @throws Failure `missing`
   */
  async read(name: string): Promise<{ release: Release; articles: ReleasedArticle[] }> {
    const release = await selectRelease(this.#db, name).executeTakeFirstOrThrow(() => noSuchRelease(name));
    const articles = await this.#db
      .selectFrom('content.article')
      .select(['id', 'title', 'slug'])
      .where('release', '=', name)
      .orderBy('id')
      .execute();
    return { release, articles };
  }

  /**
   * Makes a release, or gives it another time; all of its articles follow.
   *
   * @throws Failure `invalid` for a time that cannot be meant, `conflict` with code `already_published`, and
   * whatever `precondition` throws
   */
  put(
    name: string,
    publish_at: Date | null,
    actor: Actor,
    precondition?: ReleasePrecondition,
  ): Promise<{ release: Release; isNew: boolean }> {
    return this.#db.transaction().execute(async (tx) => {
      const made = await tx
        .insertInto('content.release')
        .values({ name, publish_at: null })
        .onConflict((conflict) => conflict.doNothing())
        .returning(writtenBy(actor).as('writer'))
        .executeTakeFirst();
      const before = await selectRelease(tx, name).forUpdate().executeTakeFirst();
      if (before === undefined) throw new Failure('conflict', 'this release is being deleted; try again');
      const isNew = made !== undefined;
      precondition?.(isNew ? undefined : before);
      if (before.published_at !== null) {
        // The answer was lost after the request had been carried out.
        if (publish_at?.getTime() === before.publish_at?.getTime()) return { release: before, isNew };
        const detail = `the release has been published (${before.publish_at?.toISOString()}); take another name`;
        throw new Failure('conflict', detail, { code: 'already_published' });
      }
      await checkTime(tx, name, publish_at);
      const release = await tx
        .updateTable('content.release')
        .set({ publish_at })
        .where('name', '=', name)
        .where(writtenBy(actor), '=', actor.key)
        .returningAll()
        .executeTakeFirstOrThrow();
      return { release, isNew };
    });
  }

  /**
   * Deletes a release: its articles remain drafts, those that it has published remain published.
   *
   * @throws Failure `missing`, and whatever `precondition` throws
   */
  async delete(name: string, actor: Actor, precondition?: ReleasePrecondition): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const release = await selectRelease(tx, name)
        .forUpdate()
        .executeTakeFirstOrThrow(() => noSuchRelease(name));
      precondition?.(release);
      await tx
        .deleteFrom('content.release')
        .where('name', '=', name)
        .where(writtenBy(actor), '=', actor.key)
        .execute();
    });
  }
}

function selectRelease(db: Kysely<ContentTables>, name: string) {
  return db.selectFrom('content.release').selectAll().where('name', '=', name);
}

async function checkTime(
  tx: Transaction<ContentTables>,
  name: string,
  publish_at: Date | null,
): Promise<void> {
  if (publish_at === null) return;
  const faults = timeFaults('publish_at', publish_at, await databaseTime(tx));
  if (faults.length > 0) throw invalid(faults);
  const over = await tx
    .selectFrom('content.article')
    .select('id')
    .where('release', '=', name)
    .where('unpublish_at', '<=', publish_at)
    .executeTakeFirst();
  if (over === undefined) return;
  const message = `is not before the unpublish_at of article ${over.id}`;
  throw invalid([{ field: 'publish_at', code: 'wrong_order', message }]);
}

function noSuchRelease(name: string): Failure {
  return new Failure('missing', `the release ${name} does not exist`);
}
