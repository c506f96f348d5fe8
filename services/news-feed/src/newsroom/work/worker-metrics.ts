import { collectProcessMetrics } from '@pressroom/common/http/metrics';
import type { Kysely } from 'kysely';
import { Gauge, Registry } from 'prom-client';
import type { Calendar } from '../../calendar.ts';
import type { Clock } from '../../clock.ts';
import type { NewsTables } from '../../tables.ts';
import type { Schedule } from './schedules.ts';
import { type NewsroomStatus, newsroomStatus } from './status.ts';

/** The gauges: what they are called, what they are labelled with, and what they show. */
const GAUGES: readonly {
  name: string;
  help: string;
  labels: readonly string[];
  values: (status: NewsroomStatus, now: Date) => [labels: Record<string, string>, value: number][];
}[] = [
  {
    name: 'newsroom_jobs',
    help: 'What there is to do of each kind, by state',
    labels: ['queue', 'state'],
    values: ({ queues }) =>
      queues.flatMap(({ name, ...states }) =>
        Object.entries(states).map(([state, value]): [Record<string, string>, number] => [
          { queue: name, state },
          value,
        ]),
      ),
  },
  {
    name: 'newsroom_schedule_lag_seconds',
    help: 'Seconds that a schedule is overdue',
    labels: ['schedule'],
    values: ({ schedules }) => schedules.map(({ name, lagSeconds }) => [{ schedule: name }, lagSeconds]),
  },
  {
    name: 'newsroom_source_failures',
    help: 'Failures of each source since its last success',
    labels: ['source'],
    values: ({ sources }) => sources.map(({ source }) => [{ source: source.url }, source.failures]),
  },
  {
    name: 'newsroom_source_success_age_seconds',
    help: 'How long ago each source was last read; absent for one that never was',
    labels: ['source'],
    values: ({ sources }, now) =>
      sources.flatMap(({ source: { url, last_success_at } }) =>
        last_success_at === null
          ? []
          : [[{ source: url }, (now.getTime() - last_success_at.getTime()) / 1000]],
      ),
  },
  {
    name: 'newsroom_source_next_poll_seconds',
    help: 'In how many seconds each source is due, below zero if it is late; absent for one that is not polled',
    labels: ['source'],
    values: ({ sources }, now) =>
      sources.flatMap(({ source: { url, state, next_poll_at } }) =>
        state === 'active' ? [[{ source: url }, (next_poll_at.getTime() - now.getTime()) / 1000]] : [],
      ),
  },
  {
    name: 'newsroom_source_items_day',
    help: 'Entries that each source has brought in 24 hours',
    labels: ['source'],
    values: ({ sources }) => sources.map(({ source, day }) => [{ source: source.url }, day]),
  },
  {
    name: 'newsroom_model_requests_day',
    help: 'Requests to the model since midnight in NEWS_REPORT_TIMEZONE',
    labels: [],
    values: ({ spent }) => [[{}, spent.requests]],
  },
  {
    name: 'newsroom_model_tokens_day',
    help: 'Tokens that the model has used since midnight in NEWS_REPORT_TIMEZONE',
    labels: [],
    values: ({ spent }) => [[{}, spent.tokens]],
  },
  {
    name: 'newsroom_embeddings_requests_day',
    help: 'Requests for embeddings since midnight in NEWS_REPORT_TIMEZONE',
    labels: [],
    values: ({ embedded }) => [[{}, embedded.requests]],
  },
  {
    name: 'newsroom_embeddings_tokens_day',
    help: 'Tokens that embeddings have used since midnight in NEWS_REPORT_TIMEZONE',
    labels: [],
    values: ({ embedded }) => [[{}, embedded.tokens]],
  },
  {
    name: 'newsroom_entries_pending',
    help: 'Entries that wait to be edited',
    labels: [],
    values: ({ sources }) => [[{}, sources.reduce((sum, { pending }) => sum + pending, 0)]],
  },
];

/**
 * The metrics of a worker's process, and of the newsroom as the database has it whenever they are read.
 * `ready` fails while the database does not answer.
 */
export function workerMetrics(
  db: Kysely<NewsTables>,
  { schedules, calendar, clock }: { schedules: readonly Schedule[]; calendar: Calendar; clock: Clock },
): { registry: Registry; read: () => Promise<string>; ready: () => Promise<unknown> } {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const gauges = GAUGES.map(({ name, help, labels, values }) => ({
    gauge: new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
    values,
  }));
  const read = async () => {
    const now = clock();
    const status = await newsroomStatus(db, { schedules, calendar, now });
    for (const { gauge, values } of gauges) {
      gauge.reset();
      for (const [labels, value] of values(status, now)) gauge.set(labels, value);
    }
    return registry.metrics();
  };
  const ready = () => db.selectFrom('news.worker').select('id').limit(1).execute();
  return { registry, read, ready };
}
