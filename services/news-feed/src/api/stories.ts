import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { integerParameter } from '@pressroom/common/fields/fields';
import { bodiless, NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound, problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { survivorsOf } from '../survivors.ts';
import type { NewsTables } from '../tables.ts';
import type { ApiAddress } from './api-address.ts';
import { address, illustration, illustrationShape, linksSchema, timestamp } from './item.ts';
import { cursorParameter, pageSchema } from './items.ts';
import { type ListKey, readCursor, writeCursor } from './list-cursor.ts';
import { body, CACHE_CONTROL, type Site, success } from './site.ts';

const STATUSES = ['active', 'settled'] as const;

/** The longest `publicId`, in characters (`docs/spec/news-feed.md`, "Limits"). */
const MAX_PUBLIC_ID = 128;

const storyPath = z.object({
  publicId: z
    .string()
    .min(1)
    .refine((value) => value.length <= MAX_PUBLIC_ID, `must be at most ${MAX_PUBLIC_ID} characters long`)
    .meta({ maxLength: MAX_PUBLIC_ID }),
});

/** The picture of the newest report that has one; the language only if all its reports have the same. */
const storyIllustration = {
  image: illustrationShape.image.describe('That of the newest report that has one.'),
  language: z.string().optional().describe('The language of all its reports that say one (BCP 47).'),
};

function neighborSchema(site: Site) {
  return z
    .object({
      publicId: z.string(),
      title: z.string(),
      relation: z.string(),
      links: linksSchema(site, {
        api: z
          .string()
          .meta({ format: 'uri-reference' })
          .describe(
            'The story in this API. Absolute if the service knows its own address (from `SITE_API_URL` or a trusted proxy).',
          ),
      }),
    })
    .meta({ id: 'StoryReference', description: 'A story, as others name it.' });
}

function reportSchema(site: Site) {
  return z
    .object({
      id: z.string(),
      title: z.string(),
      summary: z.string().nullable(),
      source: z.object({ name: z.string(), firstParty: z.boolean() }),
      publishedAt: timestamp,
      links: linksSchema(site, { original: address.optional() }),
      ...illustrationShape,
    })
    .meta({ id: 'StoryReport' });
}

export const storiesQuery = z.strictObject({
  status: z.enum(STATUSES, 'must be active or settled').optional(),
  limit: integerParameter(1, 100).default(50),
  cursor: cursorParameter,
});

type StoriesQuery = z.infer<typeof storiesQuery>;

function storiesAnswer(site: Site) {
  return body({
    items: z.array(
      z
        .object({
          publicId: z.string(),
          title: z.string(),
          status: z.enum(STATUSES),
          reportCount: z.int(),
          latestAt: timestamp,
          latest: z.string().describe('The title of the newest report.'),
          digest: z.string().nullable(),
          links: linksSchema(site, {}),
        })
        .meta({ id: 'StoryListItem' }),
    ),
    page: pageSchema,
  });
}

function storyAnswer(site: Site) {
  const neighbor = neighborSchema(site);
  return body({
    story: z
      .object({
        publicId: z.string(),
        title: z.string(),
        status: z.enum(STATUSES),
        sourceCount: z.int(),
        reportCount: z.int(),
        firstReportAt: timestamp,
        latestAt: timestamp,
        latest: z.string().describe('The title of the newest report.'),
        digest: z.string().nullable(),
        digestUpdatedAt: timestamp.nullable(),
        ...storyIllustration,
        links: linksSchema(site, {}),
        reports: z.array(reportSchema(site)).describe('Newest first.'),
        storyline: z.array(neighbor),
        related: z.array(neighbor),
      })
      .meta({ id: 'Story' }),
  });
}

/** The dependencies of the operation on stories. */
interface StoryParts {
  db: Kysely<NewsTables>;
  /** False if the deployment shows no stories; then all of them are 404. */
  showsStories: boolean;
  cache: RepresentationCache;
  site: Site;
  address: ApiAddress;
}

const NO_STORIES: StoryPage = { stories: [], nextCursor: null };

/** The 308 of a merged story, for the OpenAPI description. */
const MERGED = { 308: bodiless('Merged: `Location` is the surviving story.') } as const;

/**
 * The operation on stories: an event with all reports on it (`docs/spec/news-feed.md`,
 * "Endpoints").
 */
export function storyOperations(parts: StoryParts) {
  const { cache, site, address } = parts;
  const stories = parts.showsStories ? new StoryStore(parts.db) : undefined;
  const read = operation({
    schema: {
      tags: ['stories'],
      operationId: 'getStory',
      summary: 'Read a story; use only ids that this API has returned',
      params: storyPath,
      response: {
        200: storyAnswer(site),
        ...NOT_MODIFIED,
        ...MERGED,
        ...problemResponses(400, 403, 404, 405, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const forwarded = address.fromRequest(request);
      try {
        await replyConditionally(request, reply, {
          cacheControl: CACHE_CONTROL.stories,
          vary: address.vary,
          cache,
          // The answer links to this API at the address that this reader uses.
          key: forwarded === undefined ? undefined : `${forwarded}${request.url}`,
          load: async () => {
            const story = await stories?.read(request.params.publicId);
            if (story === undefined) throw notFound('this story does not exist');
            return { value: success({ story: shownStory(story, site, address.of(request) ?? '') }) };
          },
        });
      } catch (error) {
        if (!(error instanceof MergedStory)) throw error;
        reply.header('cache-control', CACHE_CONTROL.stories).redirect(apiPath(error.survivor), 308);
      }
      return reply;
    },
  });
  return { list: listOperation(parts), read };
}

function listOperation({ db, showsStories, cache, site }: StoryParts) {
  return operation({
    schema: {
      tags: ['stories'],
      operationId: 'listStories',
      summary: 'List the stories, that with the newest report first',
      querystring: storiesQuery,
      response: {
        200: storiesAnswer(site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 405, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.stories,
        cache,
        load: async () => {
          const { stories, nextCursor } = showsStories ? await listStories(db, request.query) : NO_STORIES;
          const items = stories.map((story) => ({
            publicId: story.public_id,
            title: story.title,
            status: story.status,
            reportCount: story.reports,
            latestAt: story.latest_at.toISOString(),
            latest: story.latest,
            digest: story.digest,
            links: { [site.linkName]: site.story(story.public_id) },
          }));
          const page = { count: items.length, hasMore: nextCursor !== null, nextCursor };
          return { value: success({ items, page }) };
        },
      }),
  });
}

function apiPath(publicId: string): string {
  return `/api/v1/stories/${encodeURIComponent(publicId)}`;
}

function shownStory(
  { story, coverage, newest, reports, storyline, related }: StoryRead,
  site: Site,
  api: string,
) {
  return {
    publicId: story.public_id,
    title: story.title,
    status: story.status,
    sourceCount: coverage.sources,
    reportCount: coverage.reports,
    firstReportAt: coverage.first.toISOString(),
    latestAt: newest.published_at.toISOString(),
    latest: newest.title,
    digest: story.digest,
    digestUpdatedAt: story.digest_updated_at?.toISOString() ?? null,
    ...illustrationOf(reports),
    links: { [site.linkName]: site.story(story.public_id) },
    reports: reports.map((report) => shownReport(report, site)),
    storyline: storyline.map((neighbor) => shownNeighbor(neighbor, site, api)),
    related: related.map((neighbor) => shownNeighbor(neighbor, site, api)),
  };
}

function illustrationOf(reports: StoryRead['reports']) {
  const [language = null, ...others] = new Set(reports.flatMap((report) => report.language ?? []));
  const image = reports.find((report) => report.image !== null)?.image ?? null;
  return illustration({ image, language: others.length > 0 ? null : language });
}

function shownReport(report: StoryRead['newest'], site: Site) {
  return {
    id: report.id,
    title: report.title,
    summary: report.summary,
    source: { name: report.source_name, firstParty: report.source_first_party },
    publishedAt: report.published_at.toISOString(),
    links: { [site.linkName]: site.item(report.id), original: report.original_url },
    ...illustration(report),
  };
}

function shownNeighbor({ publicId, title, relation }: Neighbor, site: Site, api: string) {
  return {
    publicId,
    title,
    relation,
    links: { [site.linkName]: site.story(publicId), api: `${api}${apiPath(publicId)}` },
  };
}

interface ListedStory {
  public_id: string;
  title: string;
  status: 'active' | 'settled';
  digest: string | null;
  reports: number;
  /** The newest public report. */
  latest_id: string;
  latest: string;
  latest_at: Date;
}

interface StoryPage {
  stories: ListedStory[];
  /** Continues after the last story; null if there are no more. */
  nextCursor: string | null;
}

/**
 * A page of the stories with public reports, that with the newest one first. A story that gets a report
 * between two pages comes to the front. Throws `invalid_cursor`.
 */
export async function listStories(db: Kysely<NewsTables>, query: StoriesQuery): Promise<StoryPage> {
  const key: ListKey = ['stories', query.status ?? null];
  const anchor = query.cursor === undefined ? undefined : readCursor(key, query.cursor);
  const isBefore =
    anchor === undefined
      ? sql`true`
      : sql`(item.published_at, item.id) < (${anchor.at}::timestamptz, ${anchor.id})`;
  // A person settles a story, so these are few; the newest reports are of others.
  const from =
    query.status === 'settled'
      ? sql`
        news.story cross join lateral (
          select * from news.item where story = story.public_id and withdrawn_at is null
          order by published_at desc, id desc limit 1
        ) as item
        where story.status = 'settled'`
      : sql`
        news.item join news.story on story.public_id = item.story
        where item.withdrawn_at is null and not exists (
          select from news.item as newer
          where newer.story = item.story and newer.withdrawn_at is null
            and (newer.published_at, newer.id) > (item.published_at, item.id)
        ) ${query.status === undefined ? sql`` : sql`and story.status = ${query.status}`}`;
  const { rows } = await sql<ListedStory>`
    select story.public_id, story.title, story.status, story.digest,
      item.id as latest_id, item.title as latest, item.published_at as latest_at,
      (select count(*)::int from news.item where story = story.public_id and withdrawn_at is null) as reports
    from ${from} and story.merged_into is null and ${isBefore}
    order by item.published_at desc, item.id desc limit ${query.limit + 1}`.execute(db);
  const stories = rows.slice(0, query.limit);
  const last = stories.at(-1);
  const hasMore = rows.length > stories.length && last !== undefined;
  return {
    stories,
    nextCursor: hasMore ? writeCursor(key, { at: last.latest_at, id: last.latest_id }) : null,
  };
}

type Database = Kysely<NewsTables>;

/** Reports of a story that are shown, newest first; bounds the cost. */
const MOST_REPORTS = 500;

/** The format of an id that may name a story; nothing else needs a query. */
const PUBLIC_ID = /^[A-Za-z0-9._~-]+$/;

/** A story that this one points to. */
interface Neighbor {
  publicId: string;
  title: string;
  relation: string;
}

class StoryStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The story of `publicId` with its reports and neighbours; undefined if it does not exist or none of its
   * reports is public. Throws {@link MergedStory} if it has been merged into another one.
   */
  async read(publicId: string) {
    if (!PUBLIC_ID.test(publicId)) return undefined;
    const survivor = (await survivorsOf(this.#db, [publicId])).get(publicId);
    if (survivor === undefined) return undefined;
    if (survivor.publicId !== publicId) throw new MergedStory(survivor.publicId);
    const [story, coverage, reports] = await Promise.all([
      this.#story(publicId),
      this.#coverage(publicId),
      this.#reports(publicId),
    ]);
    const [newest] = reports;
    if (story === undefined || newest === undefined) return undefined;
    const neighbors = await this.#neighbors(publicId);
    return { story, coverage, newest, reports, ...neighbors };
  }

  #story(publicId: string) {
    return this.#db
      .selectFrom('news.story')
      .select(['public_id', 'title', 'status', 'digest', 'digest_updated_at'])
      .where('public_id', '=', publicId)
      .executeTakeFirst();
  }

  #coverage(publicId: string) {
    return this.#db
      .selectFrom('news.item')
      .select(({ fn }) => [
        fn.countAll<number>().as('reports'),
        fn.count<number>('source_name').distinct().as('sources'),
        fn.min('published_at').as('first'),
      ])
      .where('story', '=', publicId)
      .where('withdrawn_at', 'is', null)
      .executeTakeFirstOrThrow();
  }

  #reports(publicId: string) {
    return this.#db
      .selectFrom('news.item')
      .select(['id', 'title', 'summary', 'source_name', 'source_first_party', 'original_url', 'published_at'])
      .select(['image', 'language'])
      .where('story', '=', publicId)
      .where('withdrawn_at', 'is', null)
      .orderBy('published_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_REPORTS)
      .execute();
  }

  /** References point to survivors, each once, and only to stories that the story endpoint shows. */
  async #neighbors(publicId: string): Promise<{ storyline: Neighbor[]; related: Neighbor[] }> {
    const references = await this.#db
      .selectFrom('news.story_reference')
      .select(['kind', 'neighbor', 'relation'])
      .where('story', '=', publicId)
      .orderBy('position')
      .orderBy('neighbor')
      .execute();
    const survivors = await survivorsOf(
      this.#db,
      references.map(({ neighbor }) => neighbor),
    );
    const neighborsOf = (kind: 'storyline' | 'related') => {
      const neighbors = new Map<string, Neighbor>();
      for (const reference of references) {
        const survivor = survivors.get(reference.neighbor);
        if (reference.kind !== kind || !survivor?.isPublic || survivor.publicId === publicId) continue;
        if (neighbors.has(survivor.publicId)) continue;
        const { title } = survivor;
        neighbors.set(survivor.publicId, {
          publicId: survivor.publicId,
          title,
          relation: reference.relation,
        });
      }
      return [...neighbors.values()];
    };
    return { storyline: neighborsOf('storyline'), related: neighborsOf('related') };
  }
}

/** A story as read from the database. */
type StoryRead = NonNullable<Awaited<ReturnType<StoryStore['read']>>>;

/**
 * Thrown when the requested story has been merged into another one, so that the caller can redirect to it.
 */
class MergedStory extends Error {
  /** The last survivor of the merges. */
  readonly survivor: string;

  constructor(survivor: string) {
    super(`the story has become ${survivor}`);
    this.name = 'MergedStory';
    this.survivor = survivor;
  }
}
