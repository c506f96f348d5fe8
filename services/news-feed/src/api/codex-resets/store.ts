import { type Kysely, type Selectable, sql } from 'kysely';
import { SHANGHAI } from '../../calendar.ts';
import type { NewsTables, ResetPostTable } from '../../tables.ts';
import type { ResetActivity, ResetEvent, ResetState } from './schema.ts';

type Database = Kysely<NewsTables>;
type PostRow = Selectable<ResetPostTable>;
type EventRow = Awaited<ReturnType<ReturnType<typeof selectEvents>['executeTakeFirstOrThrow']>>;

/** The maximum number of events, and of activities, that are read: the newest ones. */
const MOST = 1000;

/** All that is known about the resets. */
export interface ResetHistory extends ResetState {
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

/** Whether a post is its event's newest. */
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
