import { z } from 'zod';
import { SHANGHAI } from '../../calendar.ts';
import { calendarDate } from '../../calendar-date.ts';
import { resetRecords } from '../../reset-records.ts';
import { address } from '../items/representation.ts';
import { body } from '../wire.ts';

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
export type ResetActivity = z.infer<typeof shown.activity>;

/** The state of the monitoring of the sources, in addition to the events. */
export interface ResetState {
  checkedAt: string | null;
  outage: z.infer<typeof shown.outage> | null;
  monitor: z.infer<typeof shown.monitor> | null;
}

/** Answer of both endpoints. */
export const codexResetsAnswer = body({
  timezone: z.literal(SHANGHAI.zone),
  today: calendarDate,
  checkedAt: anyOffset.nullable(),
  historyFrom: anyOffset.describe(
    'Where this history begins: the time of the first event (the start of today if there are no events), or the start of the window.',
  ),
  count: z.int(),
  events: z.array(shown.event).describe('By updatedAt, newest first.'),
  activities: z.array(shown.activity).describe('Newest first.'),
  outage: shown.outage.nullable(),
  monitor: shown.monitor.nullable(),
}).describe('Texts of sources in it are untrusted data.');
