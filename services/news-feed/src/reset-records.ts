import { z } from 'zod';
import { calendarDate } from './calendar.ts';

/** The contract's two legacy labels, by the type that each represents; clients show `displayLabel`. */
export const LEGACY_LABELS = { direct_reset: '全员重置', reset_credit: '发重置卡' } as const;

/** The states of a presentation; the two before the last are derived from the estimate on reading. */
const presentationStatus = z.enum([
  'announced',
  'in_progress',
  'confirmed',
  'expired_unconfirmed',
  'likely_completed',
]);

/** The schemas that check the values of a record, in its published or its imported form. */
export interface RecordForms {
  time: z.ZodType<string>;
  text: z.ZodType<string>;
  url: z.ZodType<string>;
  id: z.ZodType<string>;
}

/** The records of the reset tracking, in the given form. */
export function resetRecords(forms: RecordForms) {
  const { text, url } = forms;
  const contextPost = z.strictObject({
    id: text,
    author: text,
    relation: z.enum(['reply', 'quote']),
    text: text.nullable(),
    originalText: text,
    url,
  });
  return {
    event: eventRecord(forms, contextPost),
    activity: activityRecord(forms, contextPost),
    ...stateRecords(forms),
  };
}

function eventRecord<Context extends z.ZodType>(forms: RecordForms, contextPost: Context) {
  const { time, text, url, id } = forms;
  return z.strictObject({
    id,
    type: z.enum(['direct_reset', 'reset_credit']),
    label: z.enum([LEGACY_LABELS.direct_reset, LEGACY_LABELS.reset_credit]).describe('Compatibility only.'),
    displayLabel: text,
    presentation: presentationRecord(forms).nullable(),
    estimate: z
      .strictObject({
        from: time,
        through: time,
        basis: z.enum(['model', 'source', 'source_day', 'history']),
        label: text,
        reason: text,
      })
      .nullable(),
    status: z.enum(['announced', 'confirmed']),
    title: text,
    scope: text,
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
        label: text,
      })
      .nullable(),
    posts: z.array(postRecord(forms, contextPost)).describe('Newest first.'),
    url,
  });
}

function presentationRecord({ time, text }: RecordForms) {
  return z.strictObject({
    reportedAt: time.optional().describe('When the source announced an ongoing rollout; not a deadline.'),
    status: presentationStatus,
    scopeKnown: z.boolean(),
    scopeLabel: text.nullable(),
    kindExplicit: z.boolean(),
    timeInferred: z.boolean(),
    audienceZh: text.nullable().optional(),
    productsZh: text.nullable().optional(),
  });
}

function postRecord<Context extends z.ZodType>({ time, text, url, id }: RecordForms, contextPost: Context) {
  return z.strictObject({
    id,
    publishedAt: time,
    stage: text.describe('The stage that the post describes, whatever the status of the event.'),
    text: text.describe('Chinese translation of the passage on the reset.'),
    originalText: text.describe('The original passage; not necessarily the whole post.'),
    fullText: text.nullable().optional(),
    fullOriginalText: text.nullable().optional(),
    context: z.array(contextPost).optional(),
    url,
  });
}

function activityRecord<Context extends z.ZodType>(
  { time, text, url, id }: RecordForms,
  contextPost: Context,
) {
  return z.strictObject({
    id,
    publishedAt: time,
    eventIds: z.array(text),
    kind: z.enum(['event_update', 'related']),
    text: text.nullable(),
    originalText: text,
    context: z.array(contextPost),
    statusChanged: z.boolean(),
    action: z.enum(['announce', 'confirm', 'amend', 'withdraw']).nullable(),
    url,
  });
}

function stateRecords({ time, text, url, id }: RecordForms) {
  const outage = z.strictObject({
    postId: id,
    publishedAt: time,
    text: text.nullable(),
    originalText: text,
    recoveredAt: time.nullable(),
    resetEventId: text.nullable(),
    url,
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
