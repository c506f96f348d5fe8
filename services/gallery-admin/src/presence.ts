import { finished, PassThrough, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { lockUntilCommit } from '@pressroom/common/database/database';
import { operation } from '@pressroom/common/http/operation';
import type { Logger } from '@pressroom/common/log/logging';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { type Kysely, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import type { Role } from './people/people-store.ts';
import { problemResponses } from './problems.ts';
import type { GalleryTables } from './tables.ts';

/** The time that a silent page still counts, in s: it may come back on another replica. */
const KEPT_S = 20;

/** Pause between two looks at the table while somebody follows it, in ms. */
const LOOK_MS = 400;

/** The looks between two notes that the pages are still there. */
const LOOKS_PER_NOTE = 12;

/** The looks between two comments in a stream, which keep proxies from ending it: some 15 s. */
const LOOKS_PER_BEAT = 36;

/** The most pages of one session, and of one replica. */
const MOST_OF_SESSION = 50;
const MOST_STREAMS = 2000;

/** The most that is shown. */
const MOST_SHOWN = 500;

const MODES = ['writing', 'waiting', 'looking'] as const;

const entry = z
  .object({
    article: z.int(),
    name: z.string().describe('The person who has it open.'),
    mode: z.enum(MODES).describe('One page at a time writes an article.'),
    since: z.iso.datetime({ offset: true }),
    takenBy: z.string().nullable().describe('The person who has taken over from this page, if anybody has.'),
    isThis: z.boolean().describe('True for the page that asks.'),
    isYou: z.boolean().describe('True for a page of the same session.'),
  })
  .meta({ id: 'Presence' });

type Entry = z.infer<typeof entry>;

const answer = z.object({
  success: z.literal(true),
  data: z.object({ entries: z.array(entry).describe(`Up to ${MOST_SHOWN}, the first to open one first.`) }),
});

const tab = z.uuid('must be a UUID that the page has made up');

const tabPath = z.object({ tab });

const tabQuery = z.strictObject({
  tab: tab.describe('The page that asks: it counts for as long as it does.'),
});

const openBody = z.strictObject({
  article: z.int('must be the id of an article').min(1).max(2_147_483_647),
  mode: z
    .enum(['writing', 'looking'])
    .describe('Whoever wants to write what somebody writes already gets `waiting`.'),
  takeOver: z.boolean().default(false).describe('True to write it instead of them.'),
});

const TAGS = ['desk'];

/** Presence in articles: an addition to `docs/spec/gallery-admin.md`. */
export function presenceOperations(presence: Presence, mayWrite: (role: Role) => boolean) {
  const shown = async (request: FastifyRequest, own: string) => ({
    success: true as const,
    data: { entries: entriesFor(await presence.rows(), own, request.person.session) },
  });
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'readPresence',
      summary: 'Say who has which article open',
      description:
        'The pages of all people, up to 500. A page counts for 20 s after it asked last. Ask `GET' +
        ' /api/presence/events` for changes as they come.',
      querystring: tabQuery,
      response: { 200: answer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async (request) => {
      await presence.note([request.query.tab]);
      return shown(request, request.query.tab);
    },
  });
  const follow = operation({
    schema: {
      tags: TAGS,
      operationId: 'followPresence',
      summary: 'The same as server-sent events, whenever it changes',
      description: 'Each event is the `data` of `GET /api/presence`. The stream ends with the session.',
      querystring: tabQuery,
      response: {
        200: {
          description: 'Events.',
          content: { 'text/event-stream': { schema: z.custom<Readable>().meta({ type: 'string' }) } },
        },
        ...problemResponses(400, 401, 403, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const stream = presence.follow(request.query.tab, request.person.session);
      // Also where the reader is gone already.
      finished(reply.raw, () => presence.leave(stream));
      return reply
        .type('text/event-stream')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(stream);
    },
  });
  const open = operation({
    schema: {
      tags: TAGS,
      operationId: 'openArticle',
      summary: 'Say that a page has an article open',
      description:
        'The page makes up the UUID `tab`. Who wants to write an article that somebody writes gets' +
        ' `waiting`, or takes it over with `takeOver`. Content refuses nothing because of it.',
      params: tabPath,
      body: openBody,
      response: { 200: answer, ...problemResponses(400, 401, 403, 413, 415, 429, 503) },
    },
    handler: async (request) => {
      const { person, params, body } = request;
      if (body.mode === 'writing' && !mayWrite(person.role))
        throw new Problem(403, 'role_forbids', `the role ${person.role} may only look`);
      await presence.open(params.tab, { session: person.session, name: person.name, ...body });
      return shown(request, params.tab);
    },
  });
  const close = operation({
    schema: {
      tags: TAGS,
      operationId: 'closeArticle',
      summary: 'Say that a page has no article open any longer',
      description: 'The next page that waits may write.',
      params: tabPath,
      response: { 200: answer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async (request) => {
      await presence.close(request.params.tab, request.person.session);
      return shown(request, request.params.tab);
    },
  });
  return { list, follow, open, close };
}

interface Row extends Omit<Entry, 'isThis' | 'isYou' | 'since'> {
  readonly since: Date;
  readonly tab: string;
  readonly session: string;
}

interface Opening {
  readonly session: string;
  readonly name: string;
  readonly article: number;
  readonly mode: 'writing' | 'looking';
  readonly takeOver: boolean;
}

interface Follower {
  readonly tab: string;
  readonly session: string;
  told: readonly Row[] | undefined;
}

const IS_THERE = sql<SqlBool>`seen_at > clock_timestamp() - make_interval(secs => ${KEPT_S})`;

/**
 * The pages that have articles open. One look at the table serves all that follow on a replica, and finds the
 * sessions among theirs that have ended.
 */
export class Presence {
  readonly #db: Kysely<GalleryTables>;
  readonly #living: (sessions: readonly string[]) => Promise<Set<string>>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #followers = new Map<PassThrough, Follower>();
  /** The rows of the last look: the same array until it changes. */
  #rows: readonly Row[] = [];
  #looks = 0;
  #isLooking = false;
  #isClosed = false;

  /** @param living those of some sessions that have not ended */
  constructor(
    db: Kysely<GalleryTables>,
    living: (sessions: readonly string[]) => Promise<Set<string>>,
    log: Pick<Logger, 'warn'>,
  ) {
    this.#db = db;
    this.#living = living;
    this.#log = log;
  }

  rows(): Promise<Row[]> {
    return this.#db
      .selectFrom('gallery.presence')
      .select(['tab', 'session_id as session', 'name', 'article_id as article', 'mode', 'since'])
      .select('taken_by as takenBy')
      .where(IS_THERE)
      .orderBy('since')
      .orderBy('tab')
      .limit(MOST_SHOWN)
      .execute();
  }

  /** Notes that pages are still there; one that is being opened waits for the next note. */
  async note(tabs: readonly string[]): Promise<void> {
    await sql`
      update gallery.presence set seen_at = clock_timestamp() where tab = any(array(
        select tab from gallery.presence where tab = any(${tabs}::uuid[]) for update skip locked
      ))
    `.execute(this.#db);
  }

  async close(tab: string, session: string): Promise<void> {
    await this.#db
      .deleteFrom('gallery.presence')
      .where('tab', '=', tab)
      .where('session_id', '=', session)
      .execute();
  }

  /** Throws 429 where a session has too many pages open. */
  async open(tab: string, { session, name, article, mode, takeOver }: Opening): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      // One at a time, whatever they open: they count the pages of a session, and change each other's rows.
      await lockUntilCommit(tx, 'open an article');
      await sql`
        delete from gallery.presence where tab = any(array(
          select tab from gallery.presence where not ${IS_THERE} for update skip locked
        ))
      `.execute(tx);
      const { pages } = await tx
        .selectFrom('gallery.presence')
        .select(({ fn }) => fn.countAll<number>().as('pages'))
        .where('session_id', '=', session)
        .where('tab', '<>', tab)
        .executeTakeFirstOrThrow();
      if (pages >= MOST_OF_SESSION) throw tooMany();
      const writers = tx
        .selectFrom('gallery.presence')
        .select('tab')
        .where('article_id', '=', article)
        .where('mode', '=', 'writing')
        .where('tab', '<>', tab);
      const isWritten = mode === 'writing' && (await writers.execute()).length > 0;
      if (isWritten && takeOver) {
        await tx
          .updateTable('gallery.presence')
          .set({ mode: 'looking', taken_by: name })
          .where('tab', 'in', writers)
          .execute();
      }
      const row = {
        session_id: session,
        name,
        article_id: article,
        mode: isWritten && !takeOver ? ('waiting' as const) : mode,
        taken_by: null,
      };
      await tx
        .insertInto('gallery.presence')
        .values({ tab, ...row })
        .onConflict((conflict) =>
          conflict.column('tab').doUpdateSet({ ...row, seen_at: sql<Date>`clock_timestamp()` }),
        )
        .execute();
    });
  }

  /** A stream of events for a page. Throws 429 or 503 where there are too many. */
  follow(tab: string, session: string): PassThrough {
    if (this.#isClosed || this.#followers.size >= MOST_STREAMS) {
      throw new Problem(503, 'overloaded', 'ask GET /api/presence instead, or try again later');
    }
    const own = [...this.#followers.values()].filter((follower) => follower.session === session);
    if (own.length >= MOST_OF_SESSION) throw tooMany();
    const stream = new PassThrough();
    stream.write('retry: 1000\n\n');
    this.#followers.set(stream, { tab, session, told: undefined });
    if (!this.#isLooking) void this.#keepLooking();
    return stream;
  }

  leave(stream: PassThrough): void {
    this.#followers.delete(stream);
    stream.end();
  }

  /** Ends all streams: browsers come back to another replica. */
  stop(): void {
    this.#isClosed = true;
    for (const stream of this.#followers.keys()) this.leave(stream);
  }

  /** Streams end while the database does not answer: whether their sessions have ended is not known. */
  async #keepLooking(): Promise<void> {
    this.#isLooking = true;
    while (this.#followers.size > 0) {
      try {
        await this.#look();
      } catch (error) {
        this.#log.warn({ err: error }, 'presence_not_read');
        for (const stream of this.#followers.keys()) this.leave(stream);
      }
      await delay(LOOK_MS, undefined, { ref: false });
    }
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    const followers = [...this.#followers];
    const sessions = [...new Set(followers.map(([, { session }]) => session))];
    this.#looks += 1;
    const [rows, living] = await Promise.all([this.rows(), this.#living(sessions)]);
    if (!isDeepStrictEqual(rows, this.#rows)) this.#rows = rows;
    for (const [stream, follower] of followers) {
      if (!living.has(follower.session)) this.leave(stream);
      else this.#tell(stream, follower);
    }
    if (this.#looks % LOOKS_PER_NOTE === 1) {
      await this.note([...this.#followers.values()].map((follower) => follower.tab));
    }
  }

  /** A reader that does not keep up gets the newest state once it does; one may have left during the look. */
  #tell(stream: PassThrough, follower: Follower): void {
    if (!stream.writable || stream.writableNeedDrain) return;
    if (follower.told === this.#rows) {
      if (this.#looks % LOOKS_PER_BEAT === 0) stream.write(': still here\n\n');
      return;
    }
    follower.told = this.#rows;
    const entries = entriesFor(this.#rows, follower.tab, follower.session);
    stream.write(`data: ${JSON.stringify({ entries })}\n\n`);
  }
}

function entriesFor(rows: readonly Row[], own: string, ownSession: string): Entry[] {
  return rows.map(({ tab: page, session, since, ...row }) => ({
    ...row,
    since: since.toISOString(),
    isThis: page === own && session === ownSession,
    isYou: session === ownSession,
  }));
}

function tooMany(): Problem {
  const detail = `a session may have ${MOST_OF_SESSION} articles open: close some`;
  return new Problem(429, 'too_many_pages', detail, { headers: { 'retry-after': '20' } });
}
