import { anyText, webUrl } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { SHANGHAI } from '../../calendar.ts';
import { resetRecords } from '../../reset-records.ts';
import { time } from './fields.ts';

/** Times in reset records are stored as they are shown. */
const shanghaiTime = time.transform((value) => SHANGHAI.timestamp(value));

const records = resetRecords({
  time: shanghaiTime,
  text: anyText(),
  url: webUrl(4000),
  id: z.string('must be a string').regex(/^[!-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters'),
});

/** The schema of a reset event. */
export const resetEventInput = records.event.partial({ label: true });

/** The schema of an activity; the action `withdraw` removes its events from the answers. */
export const resetActivityInput = records.activity;

/** The schema of the state of the monitoring of the reset sources; an absent member keeps its value. */
export const resetStateInput = z.strictObject({
  checkedAt: shanghaiTime.nullable().optional(),
  outage: records.outage.nullable().optional(),
  monitor: records.monitor.nullable().optional(),
});

/** The values of a reset event. */
export type ResetEventInput = z.infer<typeof resetEventInput>;

/** The values of an activity. */
export type ResetActivityInput = z.infer<typeof resetActivityInput>;

/** The values of the state. */
export type ResetStateInput = z.infer<typeof resetStateInput>;
