import { integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { calendarDate } from '../../calendar-date.ts';
import { isCalendarDate } from '../../shanghai-calendar.ts';
import { address, attribution, linksSchema, timestamp } from '../items/representation.ts';
import type { Site } from '../site.ts';
import { body } from '../wire.ts';

/** Query string of the index. */
export const reportsQuery = z.strictObject({ limit: integerParameter(1, 180).default(30) });

/** Path of a dated report. */
export const reportPath = z.object({
  date: z
    .string()
    .refine(isCalendarDate, 'must be a calendar date written as YYYY-MM-DD')
    .describe('A date in Asia/Shanghai, taken from the index.')
    .meta({ format: 'date' }),
});

/** Answer of the index. */
export function reportsAnswer(site: Site) {
  return body({
    count: z.int(),
    items: z.array(
      z.object({
        date: calendarDate,
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
export function reportAnswer(site: Site) {
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
      generatedAt: timestamp,
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
