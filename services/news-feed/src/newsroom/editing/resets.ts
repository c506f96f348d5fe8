import { sql, type Transaction } from 'kysely';
import { LEGACY_LABELS } from '../../reset-records.ts';
import type { NewsTables } from '../../tables.ts';
import type { Outcome } from './outcome.ts';
import type { ResetActivityInput, ResetEventInput, ResetStateInput } from './reset-input.ts';

/** Whether an upsert has inserted its row. */
const IS_NEW = sql<boolean>`xmax = 0`.as('created');

/** The row of a monitor about which nothing is known. */
const NO_MONITOR = {
  status: 'unknown' as const,
  last_attempt_at: null,
  last_collected_at: null,
  last_verified_at: null,
  held_window_count: 0,
  pending_count: 0,
  review_count: 0,
};

/**
 * Replaces a reset event and its posts. An event that an activity has withdrawn stays
 * withdrawn. Returns the outcome.
 */
export async function upsertResetEvent(
  tx: Transaction<NewsTables>,
  event: ResetEventInput,
): Promise<Outcome> {
  if (await isWithdrawn(tx, event.id)) return 'unchanged';
  const row = {
    type: event.type,
    label: event.label ?? LEGACY_LABELS[event.type],
    display_label: event.displayLabel,
    status: event.status,
    title: event.title,
    scope: event.scope,
    created_at: new Date(event.createdAt),
    updated_at: new Date(event.updatedAt),
    confirmed_at: dateOf(event.confirmedAt),
    occurred_on: event.occurredOn,
    confirmation_basis: event.confirmationBasis,
    schedule: json(event.schedule),
    presentation: json(event.presentation),
    estimate: json(event.estimate),
    url: event.url,
  };
  const written = await tx
    .insertInto('news.reset_event')
    .values({ id: event.id, ...row })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(row)
        .where(differs('reset_event', Object.keys(row))),
    )
    .returning(IS_NEW)
    .executeTakeFirst();
  const postsChanged = await writePosts(tx, event);
  if (written === undefined) return postsChanged ? 'changed' : 'unchanged';
  return written.created ? 'created' : 'changed';
}

/** Replaces the posts of an event and returns whether that changed anything. */
async function writePosts(
  tx: Transaction<NewsTables>,
  { id: eventId, posts }: ResetEventInput,
): Promise<boolean> {
  const ids = posts.map(({ id }) => id);
  const { numDeletedRows } = await tx
    .deleteFrom('news.reset_post')
    .where('event_id', '=', eventId)
    .where('id', '<>', sql<string>`all(${ids}::text[])`)
    .executeTakeFirst();
  let changed = numDeletedRows > 0n;
  for (const post of posts) {
    const row = {
      published_at: new Date(post.publishedAt),
      stage: post.stage,
      text: post.text,
      original_text: post.originalText,
      full_text: post.fullText ?? null,
      full_original_text: post.fullOriginalText ?? null,
      context: JSON.stringify(post.context ?? []),
      url: post.url,
    };
    const written = await tx
      .insertInto('news.reset_post')
      .values({ event_id: eventId, id: post.id, ...row })
      .onConflict((conflict) =>
        conflict
          .columns(['event_id', 'id'])
          .doUpdateSet(row)
          .where(differs('reset_post', Object.keys(row))),
      )
      .returning('id')
      .executeTakeFirst();
    changed ||= written !== undefined;
  }
  return changed;
}

async function isWithdrawn(tx: Transaction<NewsTables>, eventId: string): Promise<boolean> {
  const withdrawal = await tx
    .selectFrom('news.reset_activity')
    .select('id')
    .where('action', '=', 'withdraw')
    .where(sql<boolean>`${eventId} = any(event_ids)`)
    .limit(1)
    .executeTakeFirst();
  return withdrawal !== undefined;
}

/**
 * Replaces an activity; a withdrawal removes its events. Returns the outcome.
 */
export async function upsertResetActivity(
  tx: Transaction<NewsTables>,
  activity: ResetActivityInput,
): Promise<Outcome> {
  const row = {
    published_at: new Date(activity.publishedAt),
    event_ids: activity.eventIds,
    kind: activity.kind,
    text: activity.text,
    original_text: activity.originalText,
    context: JSON.stringify(activity.context),
    status_changed: activity.statusChanged,
    action: activity.action,
    url: activity.url,
  };
  const written = await tx
    .insertInto('news.reset_activity')
    .values({ id: activity.id, ...row })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(row)
        .where(differs('reset_activity', Object.keys(row))),
    )
    .returning(IS_NEW)
    .executeTakeFirst();
  const taken = activity.action === 'withdraw' && (await removeEvents(tx, activity.eventIds));
  if (written === undefined) return taken ? 'changed' : 'unchanged';
  return written.created ? 'created' : 'changed';
}

async function removeEvents(tx: Transaction<NewsTables>, ids: readonly string[]): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('news.reset_event')
    .where('id', '=', sql<string>`any(${ids})`)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Replaces the state of the monitoring of the reset sources; absent members keep their values. Returns the
 * outcome.
 */
export async function setResetState(
  tx: Transaction<NewsTables>,
  { checkedAt, monitor, outage }: ResetStateInput,
): Promise<Outcome> {
  const row = {
    ...(checkedAt !== undefined && { checked_at: dateOf(checkedAt) }),
    ...(monitor === null && checkedAt !== undefined && NO_MONITOR),
    ...(monitor && {
      status: monitor.status,
      last_attempt_at: dateOf(monitor.lastAttemptAt),
      last_collected_at: dateOf(monitor.lastCollectedAt),
      last_verified_at: dateOf(monitor.lastVerifiedAt),
      held_window_count: monitor.heldWindowCount,
      pending_count: monitor.pendingCount,
      review_count: monitor.reviewCount,
    }),
  };
  let changed = false;
  if (Object.keys(row).length > 0) {
    const written = await tx
      .insertInto('news.reset_monitor')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .constraint('reset_monitor_pkey')
          .doUpdateSet(row)
          .where(differs('reset_monitor', Object.keys(row))),
      )
      .returning('status')
      .executeTakeFirst();
    changed = written !== undefined;
  } else if (monitor === null) {
    const { numDeletedRows } = await tx.deleteFrom('news.reset_monitor').executeTakeFirst();
    changed = numDeletedRows > 0n;
  }
  if (outage === null) {
    const { numDeletedRows } = await tx.deleteFrom('news.reset_outage').executeTakeFirst();
    changed ||= numDeletedRows > 0n;
  }
  const reported = outage ? await upsertOutage(tx, outage) : false;
  return changed || reported ? 'changed' : 'unchanged';
}

async function upsertOutage(
  tx: Transaction<NewsTables>,
  outage: NonNullable<ResetStateInput['outage']>,
): Promise<boolean> {
  const row = {
    published_at: new Date(outage.publishedAt),
    text: outage.text,
    original_text: outage.originalText,
    recovered_at: dateOf(outage.recoveredAt),
    reset_event_id: outage.resetEventId,
    url: outage.url,
  };
  const written = await tx
    .insertInto('news.reset_outage')
    .values({ post_id: outage.postId, ...row })
    .onConflict((conflict) =>
      conflict
        .column('post_id')
        .doUpdateSet(row)
        .where(differs('reset_outage', Object.keys(row))),
    )
    .returning('post_id')
    .executeTakeFirst();
  return written !== undefined;
}

/** Whether an existing row differs from the given one. */
function differs(table: string, columns: readonly string[]) {
  const known = sql.join(columns.map((column) => sql.ref(`${table}.${column}`)));
  const given = sql.join(columns.map((column) => sql.ref(`excluded.${column}`)));
  return sql<boolean>`(${known}) is distinct from (${given})`;
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
