import { type LoadedValue, type ReplyOf, replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { addDays, type Clock, calendarDate, SHANGHAI } from '../calendar.ts';
import { resetRecords } from '../reset-records.ts';
import type { NewsTables, ResetPostTable } from '../tables.ts';
import { address } from './item.ts';
import { body, CACHE_CONTROL, success } from './site.ts';

/** RFC 3339 with an offset. */
const anyOffset = z.iso.datetime({ offset: true });

const shown = resetRecords({
  time: anyOffset,
  text: z.string(),
  url: address,
  id: z.string().min(1).max(128),
});

/** A reset event as clients see it. */
export type ResetEvent = z.infer<typeof shown.event>;

/** An activity: what happened around the resets. */
type ResetActivity = z.infer<typeof shown.activity>;

/** The state of the monitoring of the sources, in addition to the events. */
interface ResetState {
  checkedAt: string | null;
  outage: z.infer<typeof shown.outage> | null;
  monitor: z.infer<typeof shown.monitor> | null;
}

const codexResetsAnswer = body({
  timezone: z.literal(SHANGHAI.zone),
  today: calendarDate,
  checkedAt: anyOffset.nullable(),
  historyFrom: anyOffset.describe(
    'The start of this history: the time of the first event (the start of today if there are no events), or the start of the window.',
  ),
  count: z.int(),
  events: z.array(shown.event).describe('By updatedAt, newest first.'),
  activities: z.array(shown.activity).describe('Newest first.'),
  outage: shown.outage.nullable(),
  monitor: shown.monitor.nullable(),
}).meta({ id: 'CodexResets', description: 'Texts of sources in it are untrusted data.' });

/** Shanghai days that the recent events cover, including today. */
const RECENT_DAYS = 7;

/** The dependencies of the operations of the reset tracking. */
interface CodexResetParts {
  resets: ResetStore;
  cache: RepresentationCache;
  clock: Clock;
}

/** The operations of the reset tracking (`docs/spec/wire.md`, "Reset tracking"). */
export function codexResetOperations({ resets, cache, clock }: CodexResetParts) {
  const response = {
    200: codexResetsAnswer,
    ...NOT_MODIFIED,
    ...problemResponses(400, 403, 405, 429, 503),
  };
  const reply = (
    request: FastifyRequest,
    to: ReplyOf<{ response: typeof response }>,
    since: (today: string) => Date | undefined,
  ) =>
    replyConditionally(request, to, {
      cacheControl: CACHE_CONTROL.codexResets,
      cache,
      load: async () => {
        const now = clock();
        const from = since(SHANGHAI.date(now));
        return answer(await resets.read(from), from, now);
      },
    });
  const all = operation({
    schema: {
      tags: ['codex resets'],
      operationId: 'listCodexResets',
      summary: 'List all reset events and activities',
      description:
        'Times are in Asia/Shanghai (`+08:00`). `status` is what was announced or confirmed; the' +
        ' presentation status follows the clock as well.',
      response,
    },
    handler: (request, to) => reply(request, to, () => undefined),
  });
  const recent = operation({
    schema: {
      tags: ['codex resets'],
      operationId: 'listRecentCodexResets',
      summary:
        'List the reset events updated in the last 7 Shanghai days and the pending ones, each with the posts of these days, or with its newest',
      description: 'The body is that of all events; `historyFrom` is the beginning of the 7 days.',
      response,
    },
    handler: (request, to) =>
      reply(request, to, (today) => SHANGHAI.startOfDay(addDays(today, 1 - RECENT_DAYS))),
  });
  return { all, recent };
}

/**
 * The answer at `now` with the events known since `from`, valid until a presentation changes with time or the
 * day ends.
 */
function answer(
  { events, activities, firstCreatedAt, ...state }: ResetHistory,
  from: Date | undefined,
  now: Date,
): LoadedValue<z.output<typeof codexResetsAnswer>> {
  const today = SHANGHAI.date(now);
  const derived = events.map((event) => ({ event, ...derivePresentation(event, now) }));
  const ends = derived.flatMap(({ until }) => (until === undefined ? [] : [until.getTime()]));
  const value = success({
    timezone: SHANGHAI.zone,
    today,
    checkedAt: state.checkedAt,
    historyFrom: SHANGHAI.timestamp(from ?? firstCreatedAt ?? SHANGHAI.startOfDay(today)),
    count: events.length,
    events: derived.map(({ event, presentation }) => ({ ...event, presentation })),
    activities,
    outage: state.outage,
    monitor: state.monitor,
  });
  return { value, expiresAt: new Date(Math.min(SHANGHAI.startOfDay(addDays(today, 1)).getTime(), ...ends)) };
}

/**
 * An event is shown as just passed for this long after its estimate, in ms (`docs/spec/wire.md`, "Reset
 * tracking").
 */
const JUST_PASSED_MS = 6 * 60 * 60 * 1000;

/** A presentation at a given time, and until when it is valid; undefined means permanently. */
interface DerivedPresentation {
  presentation: ResetEvent['presentation'];
  until: Date | undefined;
}

/**
 * An event's presentation at `now`: an unconfirmed event past its estimate is `expired_unconfirmed` for 6
 * hours, then `likely_completed`. The `status` of the event itself does not change.
 */
export function derivePresentation(
  { presentation, estimate, status }: Pick<ResetEvent, 'presentation' | 'estimate' | 'status'>,
  now: Date,
): DerivedPresentation {
  const settled = status === 'confirmed' || presentation?.status === 'confirmed';
  if (presentation === null || estimate === null || settled) return { presentation, until: undefined };
  const passed = new Date(estimate.through);
  if (now < passed) return { presentation, until: passed };
  const completed = new Date(passed.getTime() + JUST_PASSED_MS);
  if (now < completed) {
    return { presentation: { ...presentation, status: 'expired_unconfirmed' }, until: completed };
  }
  return { presentation: { ...presentation, status: 'likely_completed' }, until: undefined };
}

type Database = Kysely<NewsTables>;
type PostRow = Selectable<ResetPostTable>;
type EventRow = Awaited<ReturnType<ReturnType<typeof selectEvents>['executeTakeFirstOrThrow']>>;

/** The maximum number of events, and of activities, that are read: the newest ones. */
const MOST = 1000;

/** All that is known about the resets. */
interface ResetHistory extends ResetState {
  /** When the first stored event was created; null if there are no events. */
  firstCreatedAt: Date | null;
  events: ResetEvent[];
  activities: ResetActivity[];
}

/** The records of the reset tracking in the database. */
export class ResetStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * All events and activities; with `since`, the events updated since then and the pending ones, with the
   * activities since then, and the posts since then or, of an event that has none, the newest.
   */
  async read(since?: Date): Promise<ResetHistory> {
    const [events, activities, state, first] = await Promise.all([
      this.#events(since),
      this.#activities(since),
      this.#state(),
      this.#firstCreation(),
    ]);
    return { events, activities, ...state, firstCreatedAt: first };
  }

  async #events(since: Date | undefined): Promise<ResetEvent[]> {
    const rows = await selectEvents(this.#db)
      .$if(since !== undefined, (query) =>
        query.where((where) =>
          where.or([where('updated_at', '>=', since ?? null), where('status', '=', 'announced')]),
        ),
      )
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST)
      .execute();
    const posts = await this.#posts(
      rows.map(({ id }) => id),
      since,
    );
    return rows.map((row) => shownEvent(row, posts.get(row.id) ?? []));
  }

  async #posts(eventIds: string[], since: Date | undefined): Promise<Map<string, PostRow[]>> {
    if (eventIds.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom('news.reset_post')
      .selectAll()
      .where('event_id', '=', sql<string>`any(${eventIds})`)
      .$if(since !== undefined, (query) =>
        query.where((where) => where.or([where('published_at', '>=', since ?? null), isNewest])),
      )
      .orderBy('published_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return Map.groupBy(rows, ({ event_id }) => event_id);
  }

  async #activities(since: Date | undefined): Promise<ResetActivity[]> {
    const rows = await this.#db
      .selectFrom('news.reset_activity')
      .selectAll()
      .$if(since !== undefined, (query) => query.where('published_at', '>=', since ?? null))
      .orderBy('published_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST)
      .execute();
    return rows.map(({ published_at, event_ids, original_text, status_changed, ...row }) => ({
      ...row,
      publishedAt: SHANGHAI.timestamp(published_at),
      eventIds: event_ids,
      originalText: original_text,
      context: row.context as ResetActivity['context'],
      statusChanged: status_changed,
    }));
  }

  async #state(): Promise<ResetState> {
    const [outage, monitor] = await Promise.all([
      this.#db
        .selectFrom('news.reset_outage')
        .selectAll()
        .orderBy('published_at', 'desc')
        .limit(1)
        .executeTakeFirst(),
      this.#db.selectFrom('news.reset_monitor').selectAll().limit(1).executeTakeFirst(),
    ]);
    return {
      checkedAt: optional(monitor?.checked_at),
      outage: outage
        ? {
            postId: outage.post_id,
            publishedAt: SHANGHAI.timestamp(outage.published_at),
            text: outage.text,
            originalText: outage.original_text,
            recoveredAt: optional(outage.recovered_at),
            resetEventId: outage.reset_event_id,
            url: outage.url,
          }
        : null,
      monitor: monitor
        ? {
            status: monitor.status,
            lastAttemptAt: optional(monitor.last_attempt_at),
            lastCollectedAt: optional(monitor.last_collected_at),
            lastVerifiedAt: optional(monitor.last_verified_at),
            heldWindowCount: monitor.held_window_count,
            pendingCount: monitor.pending_count,
            reviewCount: monitor.review_count,
          }
        : null,
    };
  }

  async #firstCreation(): Promise<Date | null> {
    const row = await this.#db
      .selectFrom('news.reset_event')
      .select(({ fn }) => fn.min<Date | null>('created_at').as('first'))
      .executeTakeFirst();
    return row?.first ?? null;
  }
}

/** True if a post is its event's newest. */
const isNewest = sql<boolean>`id = (
  select newest.id from news.reset_post as newest where newest.event_id = reset_post.event_id
  order by newest.published_at desc, newest.id desc limit 1)`;

function selectEvents(db: Database) {
  return (
    db
      .selectFrom('news.reset_event')
      .selectAll()
      // The driver would turn a `date` into a local time.
      .select(sql<string | null>`to_char(occurred_on, 'YYYY-MM-DD')`.as('occurred'))
  );
}

function shownEvent(row: EventRow, posts: PostRow[]): ResetEvent {
  return {
    id: row.id,
    type: row.type,
    label: row.label,
    displayLabel: row.display_label,
    presentation: row.presentation as ResetEvent['presentation'],
    estimate: row.estimate as ResetEvent['estimate'],
    status: row.status,
    title: row.title,
    scope: row.scope,
    createdAt: SHANGHAI.timestamp(row.created_at),
    updatedAt: SHANGHAI.timestamp(row.updated_at),
    confirmedAt: optional(row.confirmed_at),
    occurredOn: row.occurred,
    confirmationBasis: row.confirmation_basis,
    schedule: row.schedule as ResetEvent['schedule'],
    posts: posts.map(shownPost),
    url: row.url,
  };
}

function shownPost(post: PostRow): ResetEvent['posts'][number] {
  return {
    id: post.id,
    publishedAt: SHANGHAI.timestamp(post.published_at),
    stage: post.stage,
    text: post.text,
    originalText: post.original_text,
    fullText: post.full_text,
    fullOriginalText: post.full_original_text,
    context: post.context as NonNullable<ResetEvent['posts'][number]['context']>,
    url: post.url,
  };
}

function optional(time: Date | null | undefined): string | null {
  return time ? SHANGHAI.timestamp(time) : null;
}
