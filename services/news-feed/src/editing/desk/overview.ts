import { JOB_CODES, jobCodeOf, SCHEDULE_CODES } from '@pressroom/common/failures/failure';
import { integerParameter } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { NewsTables } from '../../tables.ts';
import { transactWithRetries } from '../../transactions.ts';
import type { Vocabulary } from '../../words.ts';
import { explainRanking, publishRanking } from '../../work/rank.ts';
import type { Schedule } from '../../work/schedules.ts';
import { failedJobs, workStatus } from '../../work/status.ts';
import { type EditorParts, timestamp, toWire } from './editors.ts';

const named = z.object({
  name: z.string(),
  label: z.string().describe('As readers see it.'),
  packLabels: z
    .record(z.string(), z.string())
    .nullable()
    .describe('What a pack calls it, by language; null if the site has a label of its own.'),
});

/** Answer with the site's vocabulary. */
const vocabularyAnswer = z.object({
  categories: z
    .array(named.extend({ isFormer: z.boolean().describe('True if it was left out and items may have it.') }))
    .describe('Those that items may have, the former ones last.'),
  directions: z.array(named),
  zone: z.string().describe('The time zone of reports and days.'),
});

/** Answer that says how the newsroom is. */
const statusAnswer = z.object({
  workers: z.int(),
  lastTurnAt: timestamp.nullable().describe('When a worker was last seen; null if none was for a day.'),
  queues: z.array(z.object({ name: z.string(), queued: z.int(), active: z.int(), retrying: z.int() })),
  schedules: z.array(
    z.object({
      name: z.string(),
      lastRunAt: timestamp.nullable(),
      lagSeconds: z.number(),
      lastError: z.string().nullable(),
      lastErrorCode: z.enum(SCHEDULE_CODES).nullable().describe('What `lastError` says, for programs.'),
    }),
  ),
  spent: z.object({ requests: z.number(), tokens: z.number() }).describe('The use of the model today.'),
  sources: z.object({ active: z.int(), paused: z.int(), gone: z.int(), failing: z.int() }),
});

/** Answer with the failed jobs that are tried again. */
const jobsAnswer = z.object({
  jobs: z.array(
    z.object({
      queue: z.string(),
      what: z.string(),
      source: z
        .object({ id: z.int(), name: z.string() })
        .nullable()
        .describe('The source that it is about, if it is about one.'),
      failures: z.int(),
      at: timestamp.describe('When it is tried again.'),
      reason: z.string().nullable(),
      code: z.enum(JOB_CODES).nullable().describe('What `reason` says, for programs.'),
    }),
  ),
});

const noticesQuery = z.strictObject({
  limit: integerParameter(1, 100).default(50),
  cursor: integerParameter(1).optional().describe('`nextCursor` of the page before.'),
});

const noticesAnswer = z.object({
  notices: z
    .array(
      z.object({
        id: z.int(),
        type: z.string(),
        at: timestamp,
        data: z.looseObject({}),
        attempts: z.int(),
        sentAt: timestamp.nullable(),
        dueAt: timestamp.nullable(),
        lastError: z.string().nullable(),
        lastErrorCode: z.enum(JOB_CODES).nullable().describe('What `lastError` says, for programs.'),
      }),
    )
    .describe('The newest first.'),
  nextCursor: z.string().nullable(),
});

const rankingQuery = ({ directions }: Vocabulary) =>
  z.strictObject({
    direction: z
      .enum(directions, `must be one of ${directions.join(', ')}`)
      .optional()
      .describe('The list for one direction.'),
  });

const rankingAnswer = z.object({
  ranking: z
    .object({
      id: z.int(),
      publishedAt: timestamp,
      asOf: timestamp,
      windowHours: z.number(),
      weights: z.record(z.string(), z.number()),
      entries: z.array(
        z.object({
          rank: z.int(),
          id: z.string(),
          title: z.string(),
          withdrawnAt: timestamp.nullable(),
          inputs: z.looseObject({
            heat: z.number(),
            coverage: z.number(),
            signals: z.number(),
            reports: z.int(),
            story: z.string().nullable(),
            pinned: z.boolean().optional().describe('True if an editor has put it above what is hotter.'),
            sources: z.array(
              z.object({
                source: z.string(),
                firstParty: z.boolean(),
                ageHours: z.number(),
                weight: z.number(),
              }),
            ),
          }),
        }),
      ),
      hidden: z
        .array(z.object({ publicId: z.string(), title: z.string() }))
        .describe('Stories that an editor has hidden, and that would have a rank.'),
    })
    .nullable(),
});

const rankedAnswer = z.object({ topics: z.int() });

const TAGS = ['overview'];
const PROBLEMS = problemResponses(400, 401, 403, 503);

/** The operations that show the newsroom as a whole, and those on the hot topics. */
export function overviewOperations(parts: EditorParts & { schedules: readonly Schedule[] }) {
  return { ...states(parts), ...rankings(parts) };
}

function states({ db, vocabulary, clock, schedules }: EditorParts & { schedules: readonly Schedule[] }) {
  const { calendar, labels, packLabels } = vocabulary;
  const words = operation({
    schema: {
      tags: TAGS,
      operationId: 'getVocabulary',
      summary: 'Say what the site calls things',
      response: { 200: vocabularyAnswer, ...PROBLEMS },
    },
    handler: async () => {
      const labelled = (names: readonly string[], kind: 'category' | 'direction') =>
        names.map((name) => ({
          name,
          label: labels[kind].get(name) ?? name,
          packLabels: packLabels[kind].get(name) ?? null,
        }));
      return {
        categories: labelled(vocabulary.categories, 'category').map((category) => {
          return { ...category, isFormer: !vocabulary.offered.includes(category.name) };
        }),
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
      const page = found.slice(0, limit).map(({ lastErrorCode, ...notice }) => ({
        ...{ ...notice, lastErrorCode: jobCodeOf(lastErrorCode) ?? null },
      }));
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
      const { id, published_at: publishedAt, parameters, entries, hidden } = found;
      const listed = entries.map(({ withdrawn_at: withdrawnAt, ...entry }) => ({ ...entry, withdrawnAt }));
      const { asOf, windowHours, weights } = parameters;
      const shown = { id, publishedAt, asOf, windowHours, entries: listed, hidden };
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
        topics: await transactWithRetries(db, (tx) => publishRanking(tx, vocabulary.directions, now)),
      };
    },
  });
  return { ranking, rank };
}

/** Counts the sources in each state, and the active ones that fail. */
async function countSources(db: Kysely<NewsTables>) {
  const { rows } = await sql<Record<'active' | 'paused' | 'gone' | 'failing', number>>`
    select count(*) filter (where state = 'active')::int as active,
      count(*) filter (where state = 'paused')::int as paused,
      count(*) filter (where state = 'gone')::int as gone,
      count(*) filter (where state = 'active' and failures > 0)::int as failing
    from news.source
  `.execute(db);
  return rows[0] ?? { active: 0, paused: 0, gone: 0, failing: 0 };
}

/** The notices before the one with this id, the newest first. */
function noticesBefore(db: Kysely<NewsTables>, id: number | undefined, limit: number) {
  return db
    .selectFrom('news.notice')
    .select([
      'id',
      'type',
      'at',
      'attempts',
      'sent_at as sentAt',
      'due_at as dueAt',
      'last_error as lastError',
      'last_error_code as lastErrorCode',
    ])
    .select(sql<Record<string, unknown>>`data`.as('data'))
    .$if(id !== undefined, (query) => query.where('id', '<', id ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
