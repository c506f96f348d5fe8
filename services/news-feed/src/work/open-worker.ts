import { openDatabase } from '@pressroom/common/database/database';
import { checkSchema } from '@pressroom/common/database/migrations';
import type { Logger } from '@pressroom/common/log/logging';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { readLexicon } from '@pressroom/stories';
import { type Clock, systemClock } from '../calendar.ts';
import { vocabularyOf } from '../config.ts';
import type { EditorParts } from '../editing/desk/editors.ts';
import { itemChecker } from '../editing/item-members.ts';
import { openJudge, openTitleVectors } from '../grouping/judging.ts';
import { openDigests } from '../grouping/model-digests.ts';
import { RulesAssigner } from '../grouping/story-assigner.ts';
import { StorySearch } from '../grouping/story-index.ts';
import { Reader } from '../reading/reader.ts';
import { FETCH_LIMITS, WebFetcher, type WebFetcherOptions, WebPageReader } from '../reading/web-fetcher.ts';
import type { CallbackParts } from '../reading/websub.ts';
import type { NewsTables } from '../tables.ts';
import { Throttle } from './job-slots.ts';
import { sharedSlots, sharedTurns } from './leases.ts';
import { collectNotices, Notifier } from './notices.ts';
import { pollBounds } from './poll-source.ts';
import { newsroomSchedules, type Schedule } from './schedules.ts';
import { workerMetrics } from './status.ts';
import type { TryParts } from './try-source.ts';
import { Worker, type WorkerParts } from './worker.ts';
import type { WorkerConfig } from './worker-config.ts';

/** A stopping worker finishes reads that take no longer than this, in ms; others start anew later. */
const MAX_READING_MS = 1000;

interface OpenWorker {
  worker: Worker;
  metrics: ReturnType<typeof workerMetrics>;
  /** Throws a `Failure` that says which migrations of this build the database lacks. */
  checkSchema: () => Promise<void>;
  callback: CallbackParts;
  desk: EditorParts & {
    schedules: readonly Schedule[];
    trying: TryParts;
    secrets: SecretBox | undefined;
    proxies: readonly string[];
  };
  /** Stops the worker, gives its jobs `graceMs` to end, and closes everything. */
  close: (graceMs: number) => Promise<void>;
}

/** The worker's transactions wait for nothing but the database. */
const IDLE_TRANSACTION_MS = 60_000;

export interface WorkerReplacements
  extends Partial<
    Pick<WorkerParts, 'clock' | 'random' | 'fetch' | 'judge' | 'stories' | 'schedules' | 'pauses'>
  > {
  limits?: Partial<WebFetcherOptions>;
}

/** Builds a worker; it does nothing before `worker.start()`. */
export function openWorker(
  config: WorkerConfig,
  log: Logger,
  { limits, ...replaced }: WorkerReplacements = {},
): OpenWorker {
  const session = { ...config, idleTransactionMs: IDLE_TRANSACTION_MS };
  const db = openDatabase<NewsTables>(session, 'pressroom newsroom worker', log);
  const fetcher = new WebFetcher({
    ...FETCH_LIMITS,
    privateHosts: config.NEWS_PRIVATE_HOSTS,
    ...(config.NEWS_PROXIES && { proxies: config.NEWS_PROXIES }),
    inSlot: sharedSlots(db),
    ...limits,
  });
  const vocabulary = vocabularyOf(config);
  const clock: Clock = replaced.clock ?? systemClock;
  const schedules = replaced.schedules ?? newsroomSchedules({ vocabulary, keepDays: config.NEWS_KEEP_DAYS });
  const { NEWS_SOURCES_KEY: key, NEWS_SOURCES_KEY_PREVIOUS: previous } = config;
  const secrets = key && new SecretBox(key, previous);
  const reader = new Reader();
  const pages = new WebPageReader(fetcher.fetch, reader, sharedTurns(db));
  const lexicon = readLexicon(vocabulary.packs);
  const { calendar } = vocabulary;
  const search = new StorySearch(lexicon, openTitleVectors(config, { db, calendar, clock, log }));
  const callbackUrl = config.NEWS_CALLBACK_URL;
  const hasNotices = config.NEWS_NOTICE_COMMAND !== undefined || config.NEWS_NOTICE_URL !== undefined;
  const notifier = new Notifier(config, { db, privateHosts: config.NEWS_PRIVATE_HOSTS, log });
  const worker = new Worker({
    db,
    ...(callbackUrl && { subscriber: { db, post: fetcher.post, callbackUrl } }),
    clock,
    log,
    fetch: fetcher.fetch,
    reader,
    secrets,
    bounds: pollBounds(config.NEWS_POLL_MIN_SECONDS),
    random: Math.random,
    checkItem: itemChecker(vocabulary),
    judge: replaced.judge ?? openJudge(config, { db, vocabulary, clock, search }),
    ...(hasNotices && {
      notices: {
        collect: () => collectNotices(db, { schedules, calendar, now: clock() }),
        send: (signal) => notifier.send(signal),
      },
    }),
    digests: openDigests(config, { db, clock, vocabulary, log }),
    stories: new RulesAssigner(search),
    writing: new Throttle(config.NEWS_WRITE_SHARE / 100),
    pages,
    crawlPolicy: pages.crawlPolicy,
    databaseUrl: config.DATABASE_URL,
    ...replaced,
    schedules,
    settings: vocabulary.settings,
  });
  const close = async (graceMs: number) => {
    const endReading = setTimeout(() => void reader.close(), Math.min(graceMs, MAX_READING_MS));
    await worker.stop(graceMs);
    clearTimeout(endReading);
    await reader.close();
    await fetcher.close();
    await notifier.close();
    await db.destroy();
  };
  return {
    worker,
    metrics: workerMetrics(db, { schedules, calendar, clock }),
    checkSchema: async () => (await checkSchema(db))(),
    callback: { db, clock, log },
    desk: {
      ...{ db, vocabulary, lexicon, clock, schedules, secrets },
      proxies: [...(config.NEWS_PROXIES?.keys() ?? [])],
      trying: { fetch: replaced.fetch ?? fetcher.fetch, reader, pages, crawlPolicy: pages.crawlPolicy },
    },
    close,
  };
}
