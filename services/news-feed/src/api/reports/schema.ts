import { integerParameter } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { type Calendar, dateOfReportOn, isCalendarDate } from '../../calendar.ts';
import { calendarDate } from '../../calendar-date.ts';
import type { Period } from '../../period.ts';
import { address, attribution, linksSchema, timestamp } from '../items/representation.ts';
import type { Site } from '../site.ts';
import { body } from '../wire.ts';

/** Query string of the index. */
export const reportsQuery = z.strictObject({ limit: integerParameter(1, 180).default(30) });

/** The periods that paths may name, besides by the report's date. */
const NAMED = {
  weekly: { unit: 'week', example: '2026-W47' },
  monthly: { unit: 'month', example: '2026-11' },
};

/** Path of one report: its date, or the week or month that it is about. */
export function reportPath(period: Period, { zone }: Calendar) {
  const date = z
    .string()
    .refine(isCalendarDate, 'must be a calendar date written as YYYY-MM-DD')
    .describe(`A date in ${zone}, taken from the index.`)
    .meta({ format: 'date' });
  if (period === 'daily') return z.object({ date });
  const { unit, example } = NAMED[period];
  const dateOrName = z
    .string()
    .transform((given) => dateOfReportOn(period, given) ?? given)
    .refine(isCalendarDate, `must be a calendar date written as YYYY-MM-DD, or a ${unit} as in ${example}`)
    .describe(`A date in ${zone}, taken from the index, or the ${unit} that the report is about.`)
    .meta({ examples: ['2026-11-23', example], maxLength: 10 });
  return z.object({ date: dateOrName });
}

/** The days that a report is about; a daily one is about that of its date and the one before. */
function daysSchema(period: Period) {
  return period === 'daily' ? {} : { periodStart: calendarDate, periodEnd: calendarDate };
}

/** Answer of the index. */
export function reportsAnswer(period: Period, site: Site) {
  return body({
    count: z.int(),
    items: z.array(
      z.object({
        date: calendarDate,
        ...daysSchema(period),
        generatedAt: timestamp,
        leadTitle: z.string().nullable(),
        leadParagraph: z.string().nullable(),
        links: linksSchema(site, {}),
        attribution,
      }),
    ),
  });
}

/** Answer of a report. */
export function reportAnswer(period: Period, site: Site) {
  const flash = z.object({
    title: z.string(),
    source: z.object({ name: z.string() }),
    links: z.object({ [site.linkName]: address.nullable(), original: address }),
    publishedAt: timestamp.nullable(),
    attribution,
  });
  return body({
    report: z.object({
      date: calendarDate,
      ...daysSchema(period),
      generatedAt: timestamp,
      correctedAt: timestamp.optional().describe('When it was last corrected, on its own day.'),
      windowStart: timestamp,
      windowEnd: timestamp,
      links: linksSchema(site, {}),
      attribution,
      lead: z.object({ title: z.string(), leadParagraph: z.string() }).nullable(),
      sections: z.array(
        z.object({ label: z.string(), items: z.array(flash.extend({ summary: z.string() })) }),
      ),
      flashes: z.array(flash),
    }),
  });
}
