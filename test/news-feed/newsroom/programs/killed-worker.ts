/**
 * A worker that kills itself without warning: at the step that KILL_AT names, the n-th time (KILL_AFTER) that
 * it comes there. Its clock is ahead of the system's by CLOCK_AHEAD_MS.
 */

import { createLogger } from '@pressroom/common/log/logging';
import { readVocabulary } from '@pressroom/news-feed/config';
import { RulesAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { FETCH_LIMITS, WebFetcher } from '@pressroom/news-feed/reading/web-fetcher';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { openWorker } from '@pressroom/news-feed/work/open-worker';
import { newsroomSchedules } from '@pressroom/news-feed/work/schedules';
import { readWorkerConfig } from '@pressroom/news-feed/work/worker-config';
import { readLexicon } from '@pressroom/stories';
import type { Transaction } from 'kysely';
import { sourceJudge } from '../../../support/plain-newsroom.ts';

let left = Number(process.env.KILL_AFTER ?? 1);

function at(step: string): void {
  if (process.env.KILL_AT !== step) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

const assigner = new RulesAssigner(new StorySearch(readLexicon()));

/** The transaction, with a step before each statement: the worker can be killed between any two. */
function watched(tx: Transaction<NewsTables>): Transaction<NewsTables> {
  return tx.withPlugin({
    transformQuery: ({ node }) => {
      at('deciding');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

const vocabulary = readVocabulary({});
const fetcher = new WebFetcher({ ...FETCH_LIMITS, privateHosts: ['127.0.0.1'] });
const { worker } = openWorker(
  readWorkerConfig(process.env),
  createLogger({ service: 'newsroom', level: 'info' }),
  {
    clock: () => new Date(Date.now() + Number(process.env.CLOCK_AHEAD_MS ?? 0)),
    fetch: async (...request) => {
      const answer = await fetcher.fetch(...request);
      at('fetched');
      return answer;
    },
    judge: {
      judge: async (submission, signal) => {
        at('judging');
        return sourceJudge.judge(submission, signal);
      },
      keep: async (_tx, judged) => {
        for (const _ of judged) at('keeping');
      },
    },
    stories: {
      assign: async (tx, items, now, insert) => {
        for (const _ of items) at('assigning');
        await assigner.assign(watched(tx), items, now, insert);
        if (items.length > 0) at('assigned');
      },
      renew: (tx, reports, now) => assigner.renew(tx, reports, now),
    },
    schedules: newsroomSchedules({ vocabulary, keepDays: 90 }).map((schedule) => ({
      ...schedule,
      run: async (...due) => {
        await schedule.run(...due);
        at(schedule.name);
      },
    })),
  },
);
await worker.start();
