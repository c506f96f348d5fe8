import { integerParameter } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import type { Vocabulary } from '../../../vocabulary.ts';
import { timestamp } from '../wire.ts';

const named = z.array(z.object({ name: z.string(), label: z.string() }));

/** Answer that says what the site calls things. */
export const vocabularyAnswer = z.object({
  categories: named,
  directions: named,
  zone: z.string().describe('The time zone of reports and days.'),
});

/** Answer that says how the newsroom is. */
export const statusAnswer = z.object({
  workers: z.int(),
  queues: z.array(z.object({ name: z.string(), queued: z.int(), active: z.int(), retrying: z.int() })),
  schedules: z.array(
    z.object({
      name: z.string(),
      lastRunAt: timestamp.nullable(),
      lagSeconds: z.number(),
      lastError: z.string().nullable(),
    }),
  ),
  spent: z.object({ requests: z.number(), tokens: z.number() }).describe('What a model was asked for today.'),
  sources: z.object({ active: z.int(), paused: z.int(), gone: z.int(), failing: z.int() }),
});

/** Answer that lists what has failed and is tried again. */
export const jobsAnswer = z.object({
  jobs: z.array(
    z.object({
      queue: z.string(),
      what: z.string(),
      failures: z.int(),
      at: timestamp.describe('When it is tried again.'),
      reason: z.string().nullable(),
    }),
  ),
});

/** Query string of the notices. */
export const noticesQuery = z.strictObject({
  limit: integerParameter(1, 100).default(50),
  cursor: integerParameter(1).optional().describe('`nextCursor` of the page before.'),
});

/** Answer of the notices. */
export const noticesAnswer = z.object({
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
      }),
    )
    .describe('The newest first.'),
  nextCursor: z.string().nullable(),
});

/** Query string of the ranking. */
export const rankingQuery = ({ directions }: Vocabulary) =>
  z.strictObject({
    direction: z
      .enum(directions, `must be one of ${directions.join(', ')}`)
      .optional()
      .describe('The list for one direction.'),
  });

/** Answer of the ranking. */
export const rankingAnswer = z.object({
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
    })
    .nullable(),
});

/** Answer of a new ranking. */
export const rankedAnswer = z.object({ topics: z.int() });
