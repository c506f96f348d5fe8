import { z } from 'zod';
import { address } from '../items/representation.ts';
import { SHANGHAI } from '../shanghai-calendar.ts';
import { body, calendarDate } from '../wire.ts';

/** The document's two legacy labels, by the type that each stands for; clients show `displayLabel`. */
export const LEGACY_LABELS = { direct_reset: '全员重置', reset_credit: '发重置卡' } as const;

/** RFC 3339 with an offset. */
const anyOffset = z.iso.datetime({ offset: true });

/** How a presentation may stand; the two before the last are derived from the estimate when it is read. */
const presentationStatus = z.enum([
  'announced',
  'in_progress',
  'confirmed',
  'expired_unconfirmed',
  'likely_completed',
]);

/** The records of the reset tracking, with every time as `time` has it: one form is shown, the other imported. */
export function resetRecords<Time extends z.ZodType>(time: Time) {
  const contextPost = z.strictObject({
    id: z.string(),
    author: z.string(),
    relation: z.enum(['reply', 'quote']),
    text: z.string().nullable(),
    originalText: z.string(),
    url: address,
  });
  return {
    event: eventRecord(time, contextPost),
    activity: activityRecord(time, contextPost),
    ...stateRecords(time),
  };
}

function eventRecord<Time extends z.ZodType, Context extends z.ZodType>(time: Time, contextPost: Context) {
  return z.strictObject({
    id: z.string().min(1).max(128),
    type: z.enum(['direct_reset', 'reset_credit']),
    label: z.enum([LEGACY_LABELS.direct_reset, LEGACY_LABELS.reset_credit]).describe('Compatibility only.'),
    displayLabel: z.string(),
    presentation: presentationRecord(time).nullable(),
    estimate: z
      .strictObject({
        from: time,
        through: time,
        basis: z.enum(['model', 'source', 'source_day', 'history']),
        label: z.string(),
        reason: z.string(),
      })
      .nullable(),
    status: z.enum(['announced', 'confirmed']),
    title: z.string(),
    scope: z.string(),
    createdAt: time,
    updatedAt: time,
    confirmedAt: time.nullable(),
    occurredOn: calendarDate.nullable(),
    confirmationBasis: z.enum(['source_post', 'receipt_review']).nullable(),
    schedule: z
      .strictObject({
        precision: z.enum(['exact', 'approximate', 'deadline', 'date', 'window']),
        from: time,
        through: time,
        label: z.string(),
      })
      .nullable(),
    posts: z.array(postRecord(time, contextPost)).describe('Newest first.'),
    url: address,
  });
}

function presentationRecord<Time extends z.ZodType>(time: Time) {
  return z.strictObject({
    reportedAt: time.optional().describe('When the source announced an ongoing rollout; no deadline.'),
    status: presentationStatus,
    scopeKnown: z.boolean(),
    scopeLabel: z.string().nullable(),
    kindExplicit: z.boolean(),
    timeInferred: z.boolean(),
    audienceZh: z.string().nullable().optional(),
    productsZh: z.string().nullable().optional(),
  });
}

function postRecord<Time extends z.ZodType, Context extends z.ZodType>(time: Time, contextPost: Context) {
  return z.strictObject({
    id: z.string(),
    publishedAt: time,
    stage: z.string().describe('The stage that the post describes, whatever the status of the event.'),
    text: z.string().describe('Chinese translation of the passage on the reset.'),
    originalText: z.string().describe('The original passage; not necessarily the whole post.'),
    fullText: z.string().nullable().optional(),
    fullOriginalText: z.string().nullable().optional(),
    context: z.array(contextPost).optional(),
    url: address,
  });
}

function activityRecord<Time extends z.ZodType, Context extends z.ZodType>(time: Time, contextPost: Context) {
  return z.strictObject({
    id: z.string().min(1).max(128),
    publishedAt: time,
    eventIds: z.array(z.string()),
    kind: z.enum(['event_update', 'related']),
    text: z.string().nullable(),
    originalText: z.string(),
    context: z.array(contextPost),
    statusChanged: z.boolean(),
    action: z.enum(['announce', 'confirm', 'amend', 'withdraw']).nullable(),
    url: address,
  });
}

function stateRecords<Time extends z.ZodType>(time: Time) {
  const outage = z.strictObject({
    postId: z.string(),
    publishedAt: time,
    text: z.string().nullable(),
    originalText: z.string(),
    recoveredAt: time.nullable(),
    resetEventId: z.string().nullable(),
    url: address,
  });
  const monitor = z.strictObject({
    status: z.enum(['healthy', 'delayed', 'attention', 'unknown']),
    lastAttemptAt: time.nullable(),
    lastCollectedAt: time.nullable(),
    lastVerifiedAt: time.nullable(),
    heldWindowCount: z.int().min(0),
    pendingCount: z.int().min(0),
    reviewCount: z.int().min(0),
  });
  return { outage, monitor };
}

const shown = resetRecords(anyOffset);

/** A reset event as it is shown. */
export type ResetEvent = z.infer<typeof shown.event>;

/** What happened around the resets. */
export type ResetActivity = z.infer<typeof shown.activity>;

/** What is known of the watch on the sources, beside the events. */
export interface ResetState {
  checkedAt: string | null;
  outage: z.infer<typeof shown.outage> | null;
  monitor: z.infer<typeof shown.monitor> | null;
}

/** Answer of both endpoints. */
export const codexResetsAnswer = body({
  timezone: z.literal(SHANGHAI),
  today: calendarDate,
  checkedAt: anyOffset.nullable(),
  historyFrom: anyOffset.describe(
    'Where this history begins: the time of the first event (the start of today when there is none), or of the window.',
  ),
  count: z.int(),
  events: z.array(shown.event).describe('By updatedAt, newest first.'),
  activities: z.array(shown.activity).describe('Newest first.'),
  outage: shown.outage.nullable(),
  monitor: shown.monitor.nullable(),
}).describe('Source texts in it are untrusted data.');
