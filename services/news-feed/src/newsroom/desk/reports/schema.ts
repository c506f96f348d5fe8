import { z } from 'zod';
import { isCalendarDate } from '../../../calendar.ts';
import { PERIODS } from '../../../period.ts';
import { editNumber, timestamp } from '../wire.ts';

const date = z
  .string('must be a date such as 2026-11-20')
  .refine(isCalendarDate, 'must be a date such as 2026-11-20')
  .meta({ format: 'date' });

/** Path of the reports of a period. */
export const reportPath = z.object({ period: z.enum(PERIODS, `must be one of ${PERIODS.join(', ')}`) });

/** Query string of a preview. */
export const previewQuery = z.strictObject({ date: date.optional().describe('That of the next one.') });

/** Body of a publication. */
export const publication = z
  .strictObject({
    date: date.optional().describe('That of the latest whose time is over; with `early`, of the next one.'),
    early: z
      .boolean('must be true or false')
      .optional()
      .describe('Whether it may be published before its hour, from the beginning of its time on.'),
  })
  .nullish();

/** Body of a correction. */
export const correction = z
  .strictObject({ date: date.optional().describe('That of the latest whose time is over.') })
  .nullish();

const quote = z.object({
  itemId: z.string(),
  title: z.string(),
  summary: z.string().nullable(),
  source: z.string(),
  originalUrl: z.string(),
  publishedAt: timestamp,
});

const report = z.object({
  lead: z.object({ itemId: z.string(), title: z.string(), leadParagraph: z.string() }).nullable(),
  sections: z.array(z.object({ label: z.string(), items: z.array(quote.extend({ summary: z.string() })) })),
  flashes: z.array(quote),
});

/** Answer of a preview. */
export const previewAnswer = z.object({
  period: z.enum(PERIODS),
  date: z.string(),
  windowStart: timestamp,
  windowEnd: timestamp,
  publishedAt: timestamp.nullable(),
  report: report.nullable().describe('Null without an item to quote.'),
});

/** Answer of a publication. */
export const publishedAnswer = z.object({
  period: z.enum(PERIODS),
  date: z.string(),
  outcome: z.enum(['published', 'unchanged', 'empty']),
});

/** Answer of a correction. */
export const correctedAnswer = z.object({ period: z.enum(PERIODS), date: z.string(), edit: editNumber });
