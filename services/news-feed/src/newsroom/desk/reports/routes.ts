import { PRIVATE, replyConditionally, writePrecondition } from '@pressroom/common/caching/conditional';
import { personOf } from '@pressroom/common/desk/person';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import type { Report } from '../../../report.ts';
import { inEdit } from '../../edits.ts';
import { correctReport, previewReport, publishReport } from '../../publishing/report.ts';
import { inTransactions } from '../../transactions.ts';
import type { EditorParts } from '../editors.ts';
import { toWire } from '../wire.ts';
import {
  correctedAnswer,
  correction,
  previewAnswer,
  previewQuery,
  publication,
  publishedAnswer,
  reportPath,
} from './schema.ts';

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
      const outcome = await inTransactions(db)((tx) =>
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
  return { preview, publish, correct };
}

/** That the report is the one that was previewed. */
function conditionOf(request: FastifyRequest): ((report: Report | undefined) => void) | undefined {
  const condition = writePrecondition(request);
  return condition && ((report) => condition(report ?? null));
}
