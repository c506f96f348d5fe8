import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { explainRanking, publishRanking } from '../../publishing/rank.ts';
import { inTransactions } from '../../transactions.ts';
import type { Schedule } from '../../work/schedules.ts';
import { failedJobs, workStatus } from '../../work/status.ts';
import type { EditorParts } from '../editors.ts';
import { toWire } from '../wire.ts';
import {
  jobsAnswer,
  noticesAnswer,
  noticesQuery,
  rankedAnswer,
  rankingAnswer,
  rankingQuery,
  statusAnswer,
  vocabularyAnswer,
} from './schema.ts';
import { countSources, noticesBefore } from './store.ts';

const TAGS = ['overview'];
const PROBLEMS = problemResponses(400, 401, 403, 503);

/** The operations that show the newsroom as a whole, and those on the hot topics. */
export function overviewOperations(parts: EditorParts & { schedules: readonly Schedule[] }) {
  return { ...states(parts), ...rankings(parts) };
}

function states({ db, vocabulary, clock, schedules }: EditorParts & { schedules: readonly Schedule[] }) {
  const { calendar, labels } = vocabulary;
  const words = operation({
    schema: {
      tags: TAGS,
      operationId: 'getVocabulary',
      summary: 'Say what the site calls things',
      response: { 200: vocabularyAnswer, ...PROBLEMS },
    },
    handler: async () => {
      const labelled = (names: readonly string[], kind: 'category' | 'direction') =>
        names.map((name) => ({ name, label: labels[kind].get(name) ?? name }));
      return {
        categories: labelled(vocabulary.categories, 'category'),
        directions: labelled(vocabulary.directions, 'direction'),
        zone: calendar.zone,
      };
    },
  });
  const status = operation({
    schema: {
      tags: TAGS,
      operationId: 'getStatus',
      summary: 'Show how the sources, the schedules and the queues are',
      response: { 200: statusAnswer, ...PROBLEMS },
    },
    handler: async () => {
      const work = await workStatus(db, { schedules, calendar, now: clock() });
      return toWire({ ...work, sources: await countSources(db) });
    },
  });
  const jobs = operation({
    schema: {
      tags: TAGS,
      operationId: 'listFailedJobs',
      summary: 'Show what has failed and is tried again, and why',
      response: { 200: jobsAnswer, ...PROBLEMS },
    },
    handler: async () => ({ jobs: toWire(await failedJobs(db)) }),
  });
  const notices = operation({
    schema: {
      tags: TAGS,
      operationId: 'listNotices',
      summary: 'List the notices to operators, the newest first',
      querystring: noticesQuery,
      response: { 200: noticesAnswer, ...PROBLEMS },
    },
    handler: async ({ query: { limit, cursor } }) => {
      const found = await noticesBefore(db, cursor, limit + 1);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return { notices: toWire(page), nextCursor: last === undefined ? null : String(last.id) };
    },
  });
  return { vocabulary: words, status, jobs, notices };
}

function rankings({ db, vocabulary, clock }: EditorParts) {
  const ranking = operation({
    schema: {
      tags: ['hot topics'],
      operationId: 'explainRanking',
      summary: 'Show what each rank of the latest ranking was computed from',
      querystring: rankingQuery(vocabulary),
      response: { 200: rankingAnswer, ...PROBLEMS },
    },
    handler: async ({ query }) => {
      const found = await explainRanking(db, query.direction);
      if (found === undefined) return { ranking: null };
      const { id, published_at: publishedAt, parameters, entries } = found;
      const listed = entries.map(({ withdrawn_at: withdrawnAt, ...entry }) => ({ ...entry, withdrawnAt }));
      const { asOf, windowHours, weights } = parameters;
      const shown = { id, publishedAt, asOf, windowHours, entries: listed };
      return { ranking: { ...toWire(shown), weights: { ...weights } } };
    },
  });
  const rank = operation({
    schema: {
      tags: ['hot topics'],
      operationId: 'publishRanking',
      summary: 'Publish a new ranking of the hot topics',
      response: { 200: rankedAnswer, ...PROBLEMS },
    },
    handler: async () => {
      const now = clock();
      return {
        topics: await inTransactions(db)((tx) => publishRanking(tx, vocabulary.directions, now)),
      };
    },
  });
  return { ranking, rank };
}
