import { sql, type Transaction } from 'kysely';
import { LEGACY_LABELS } from '../../codex-resets/schema.ts';
import type { NewsTables } from '../../tables.ts';
import type { LineOf } from '../import/import-line.ts';

/** Replaces a reset event and its posts by what a line says. Returns whether the event is new. */
export async function upsertResetEvent(
  tx: Transaction<NewsTables>,
  { event }: LineOf<'reset-event'>,
): Promise<boolean> {
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
  const { created } = await tx
    .insertInto('news.reset_event')
    .values({ id: event.id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .returning(sql<boolean>`xmax = 0`.as('created'))
    .executeTakeFirstOrThrow();
  await tx.deleteFrom('news.reset_post').where('event_id', '=', event.id).execute();
  const posts = event.posts.map((post) => ({
    event_id: event.id,
    id: post.id,
    published_at: new Date(post.publishedAt),
    stage: post.stage,
    text: post.text,
    original_text: post.originalText,
    full_text: post.fullText ?? null,
    full_original_text: post.fullOriginalText ?? null,
    context: JSON.stringify(post.context ?? []),
    url: post.url,
  }));
  if (posts.length > 0) await tx.insertInto('news.reset_post').values(posts).execute();
  return created;
}

/** Replaces an activity by what a line says; a withdrawal takes its events out. Returns whether the activity is new. */
export async function upsertResetActivity(
  tx: Transaction<NewsTables>,
  { activity }: LineOf<'reset-activity'>,
): Promise<boolean> {
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
  const { created } = await tx
    .insertInto('news.reset_activity')
    .values({ id: activity.id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .returning(sql<boolean>`xmax = 0`.as('created'))
    .executeTakeFirstOrThrow();
  if (activity.action === 'withdraw' && activity.eventIds.length > 0) {
    await tx.deleteFrom('news.reset_event').where('id', 'in', activity.eventIds).execute();
  }
  return created;
}

/** Replaces what the watch on the reset sources says of itself; absent members keep their values. */
export async function setResetState(
  tx: Transaction<NewsTables>,
  { checkedAt, monitor, outage }: LineOf<'reset-state'>,
): Promise<void> {
  const row = {
    ...(checkedAt !== undefined && { checked_at: dateOf(checkedAt) }),
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
  if (monitor === null) await tx.deleteFrom('news.reset_monitor').execute();
  if (Object.keys(row).length > 0) {
    await tx
      .insertInto('news.reset_monitor')
      .values(row)
      .onConflict((conflict) => conflict.constraint('reset_monitor_pkey').doUpdateSet(row))
      .execute();
  }
  if (outage === null) await tx.deleteFrom('news.reset_outage').execute();
  if (outage) await upsertOutage(tx, outage);
}

async function upsertOutage(
  tx: Transaction<NewsTables>,
  outage: NonNullable<LineOf<'reset-state'>['outage']>,
): Promise<void> {
  const row = {
    published_at: new Date(outage.publishedAt),
    text: outage.text,
    original_text: outage.originalText,
    recovered_at: dateOf(outage.recoveredAt),
    reset_event_id: outage.resetEventId,
    url: outage.url,
  };
  await tx
    .insertInto('news.reset_outage')
    .values({ post_id: outage.postId, ...row })
    .onConflict((conflict) => conflict.column('post_id').doUpdateSet(row))
    .execute();
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
