import { anyText, webUrl } from '@pressroom/common/fields/fields';
import { type Insertable, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { SHANGHAI } from '../calendar.ts';
import { time } from '../fields.ts';
import { LEGACY_LABELS, resetRecords } from '../reset-records.ts';
import type { NewsTables } from '../tables.ts';
import type { Outcome } from './edits.ts';

/** Times in reset records are stored as they are shown. */
const shanghaiTime = time.transform((value) => SHANGHAI.timestamp(value));

const records = resetRecords({
  time: shanghaiTime,
  text: anyText(),
  url: webUrl(4000),
  id: z.string('must be a string').regex(/^[!-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters'),
});

export const resetEventInput = records.event.partial({ label: true });

/** The schema of an activity; the action `withdraw` removes its events from the answers. */
export const resetActivityInput = records.activity;

/** The schema of the state of the monitoring of the reset sources; an absent member keeps its value. */
export const resetStateInput = z.strictObject({
  checkedAt: shanghaiTime.nullable().optional(),
  outage: records.outage.nullable().optional(),
  monitor: records.monitor.nullable().optional(),
});

type ResetEventInput = z.infer<typeof resetEventInput>;

type ResetActivityInput = z.infer<typeof resetActivityInput>;

type ResetStateInput = z.infer<typeof resetStateInput>;

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
  const written = await upsert(tx, 'reset_event', 'id', {
    id: event.id,
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
  });
  const postsChanged = await writePosts(tx, event);
  return written === 'unchanged' && postsChanged ? 'changed' : written;
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
    const written = await upsert(tx, 'reset_post', 'event_id, id', {
      event_id: eventId,
      id: post.id,
      published_at: new Date(post.publishedAt),
      stage: post.stage,
      text: post.text,
      original_text: post.originalText,
      full_text: post.fullText ?? null,
      full_original_text: post.fullOriginalText ?? null,
      context: JSON.stringify(post.context ?? []),
      url: post.url,
    });
    changed ||= written !== 'unchanged';
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
  const written = await upsert(tx, 'reset_activity', 'id', {
    id: activity.id,
    published_at: new Date(activity.publishedAt),
    event_ids: activity.eventIds,
    kind: activity.kind,
    text: activity.text,
    original_text: activity.originalText,
    context: JSON.stringify(activity.context),
    status_changed: activity.statusChanged,
    action: activity.action,
    url: activity.url,
  });
  const taken = activity.action === 'withdraw' && (await removeEvents(tx, activity.eventIds));
  return written === 'unchanged' && taken ? 'changed' : written;
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
    changed = (await upsert(tx, 'reset_monitor', 'singleton', row)) !== 'unchanged';
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
  const written = await upsert(tx, 'reset_outage', 'post_id', {
    post_id: outage.postId,
    published_at: new Date(outage.publishedAt),
    text: outage.text,
    original_text: outage.originalText,
    recovered_at: dateOf(outage.recoveredAt),
    reset_event_id: outage.resetEventId,
    url: outage.url,
  });
  return written !== 'unchanged';
}

type ResetTable = 'reset_event' | 'reset_post' | 'reset_activity' | 'reset_monitor' | 'reset_outage';

/** Writes a row, which may be there already by the columns of `key`. Returns the outcome. */
async function upsert<Table extends ResetTable>(
  tx: Transaction<NewsTables>,
  table: Table,
  key: string,
  row: Insertable<NewsTables[`news.${Table}`]>,
): Promise<Outcome> {
  const columns = Object.keys(row);
  const of = (name: string) => sql.join(columns.map((column) => sql.ref(`${name}.${column}`)));
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const { rows } = await sql<{ created: boolean }>`
    insert into ${sql.table(`news.${table}`)} as known (${names}) values (${sql.join(Object.values(row))})
    on conflict (${sql.raw(key)}) do update set (${names}) = row(${of('excluded')})
    where row(${of('known')}) is distinct from row(${of('excluded')})
    returning xmax = 0 as created
  `.execute(tx);
  const [written] = rows;
  if (written === undefined) return 'unchanged';
  return written.created ? 'created' : 'changed';
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
