import {
  PRIVATE,
  replyConditionally,
  writePrecondition,
  writtenTag,
} from '@pressroom/common/caching/conditional';
import { personOf } from '@pressroom/common/desk/person';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isCalendarDate, PERIODS } from '../../calendar.ts';
import { correctionNote } from '../../fields.ts';
import type { Report } from '../../report.ts';
import { transactWithRetries } from '../../transactions.ts';
import {
  correctReport,
  noteOnReport,
  previewReport,
  publishReport,
  readReportCorrection,
} from '../../work/report.ts';
import { inEdit } from '../edits.ts';
import { type EditorParts, editNumber, timestamp, toWire } from './editors.ts';

/** The date of a report. */
export const reportDate = z
  .string('must be a date such as 2026-11-20')
  .refine(isCalendarDate, 'must be a date such as 2026-11-20')
  .meta({ format: 'date' });

/** Path of the reports of a period. */
const reportPath = z.object({ period: z.enum(PERIODS, `must be one of ${PERIODS.join(', ')}`) });

/** Path of a published report. */
const publishedPath = reportPath.extend({ date: reportDate });

const notePut = z.strictObject({ correction: correctionNote });

const noteAnswer = z.object({ correction: z.string().nullable(), correctedAt: timestamp.nullable() });

const notedAnswer = z.object({ edit: editNumber });

const previewQuery = z.strictObject({
  date: reportDate.optional().describe('The date of the report; by default, of the next one.'),
});

const publication = z
  .strictObject({
    date: reportDate
      .optional()
      .describe(
        'The date of the report; by default, of the latest whose time is over, or with `early` of the next one.',
      ),
    early: z
      .boolean('must be true or false')
      .optional()
      .describe('True to allow publication before its hour, from the beginning of its time on.'),
  })
  .nullish();

const correction = z
  .strictObject({
    date: reportDate
      .optional()
      .describe('The date of the report; by default, of the latest whose time is over.'),
  })
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

const previewAnswer = z.object({
  period: z.enum(PERIODS),
  date: z.string(),
  windowStart: timestamp,
  windowEnd: timestamp,
  publishedAt: timestamp.nullable(),
  published: report.nullable().describe('As it was published; null if it was not yet.'),
  report: report.nullable().describe('Null without an item to quote.'),
});

const publishedAnswer = z.object({
  period: z.enum(PERIODS),
  date: z.string(),
  outcome: z.enum(['published', 'unchanged', 'empty']),
});

const correctedAnswer = z.object({ period: z.enum(PERIODS), date: z.string(), edit: editNumber });

const TAGS = ['reports'];
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503);

/** The operations on reports: each does what a command of the newsroom does. */
export function reportOperations({ db, vocabulary, clock }: EditorParts) {
  const { calendar } = vocabulary;
  const preview = operation({
    schema: {
      tags: TAGS,
      operationId: 'previewReport',
      summary: 'Show a report as it would be published, or corrected, now',
      description: 'Its `ETag` in the `If-Match` of a publication or correction has nothing else published.',
      params: reportPath,
      querystring: previewQuery,
      response: { 200: previewAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 503) },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: PRIVATE,
        load: async () => {
          const { period } = request.params;
          const date = request.query.date ?? calendar.nextReportDate(period, clock());
          const shown = await previewReport(db, { period, date, vocabulary });
          return { value: toWire(shown), own: shown.report };
        },
      }),
  });
  const publish = operation({
    schema: {
      tags: TAGS,
      operationId: 'publishReport',
      summary: 'Publish a report whose time is over, or early; one that is published stays as it is',
      description:
        'Of an early one, what comes until its hour is in the next report, unless a correction takes it in.' +
        ' Repeating it changes nothing, whatever `If-Match` says.',
      params: reportPath,
      body: publication,
      response: { 200: publishedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request) => {
      const { period } = request.params;
      const now = clock();
      const { early = false, date: given } = request.body ?? {};
      const date =
        given ?? (early ? calendar.nextReportDate(period, now) : calendar.latestReportDate(period, now));
      const precondition = conditionOf(request);
      const outcome = await transactWithRetries(db, (tx) =>
        publishReport(tx, { period, date, vocabulary, now, early, precondition }),
      );
      return { period, date, outcome };
    },
  });
  const correct = operation({
    schema: {
      tags: TAGS,
      operationId: 'correctReport',
      summary: 'Publish a report of today again, as it would be published now',
      params: reportPath,
      body: correction,
      response: { 200: correctedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request) => {
      const { period } = request.params;
      const now = clock();
      const date = request.body?.date ?? calendar.latestReportDate(period, now);
      const precondition = conditionOf(request);
      const by = { actor: personOf(request.headers), action: 'report correct' };
      const { edit } = await inEdit(db, by, (tx) =>
        correctReport(tx, { period, date, vocabulary, now, precondition }),
      );
      return { period, date, edit };
    },
  });
  return { preview, publish, correct, ...notes(db) };
}

function notes(db: EditorParts['db']) {
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getReportCorrection',
      summary: 'Read what readers of a report are told was wrong with it',
      params: publishedPath,
      response: { 200: noteAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 404, 503) },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: PRIVATE,
        load: async () => {
          const note = await readReportCorrection(db, request.params);
          return { value: toWire(note), own: note.correction };
        },
      }),
  });
  const write = operation({
    schema: {
      tags: TAGS,
      operationId: 'noteOnReport',
      summary: 'Say to the readers of a report, of whatever day, what was wrong with it; null if nothing was',
      params: publishedPath,
      body: notePut,
      responseHeaders: { 200: ['ETag'] },
      response: { 200: notedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { correction } = request.body;
      const by = { actor: personOf(request.headers), action: 'report note' };
      const { edit } = await inEdit(db, by, (tx) =>
        noteOnReport(tx, request.params, correction, writePrecondition(request)),
      );
      return reply.headers({ 'cache-control': PRIVATE, etag: writtenTag(correction) }).send({ edit });
    },
  });
  return { readNote: read, writeNote: write };
}

/** Returns the check that the report is the one that was previewed. */
function conditionOf(request: FastifyRequest): ((report: Report | undefined) => void) | undefined {
  const condition = writePrecondition(request);
  return condition && ((report) => condition(report ?? null));
}
