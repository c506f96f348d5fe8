import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Lease, secondsFromNow } from '@pressroom/common/database/leases';
import type { JobCode } from '@pressroom/common/failures/failure';
import type { Logger } from '@pressroom/common/log/logging';
import { type WebhookMessage, WebhookSender, webhookWait } from '@pressroom/common/webhooks/webhook-sender';
import { type Kysely, sql } from 'kysely';
import { type Calendar, PERIOD_RULES, PERIODS } from '../calendar.ts';
import { USER_AGENT } from '../reading/web-fetcher.ts';
import type { Report } from '../report.ts';
import type { NewsTables } from '../tables.ts';
import type { Schedule } from './schedules.ts';
import { scheduleStatus } from './status.ts';
import type { NoticeConfig } from './worker-config.ts';

/** The time limit of a command, in ms; that of a request is the same. */
const COMMAND_MS = 10_000;

/** One in hand is due when its lease ends. */
const NOTICES = new Lease({
  table: 'news.notice',
  key: ['id'],
  until: 'due_at',
  // Longer than it is sent to both.
  seconds: 60,
});

/**
 * Greatest age of a notice when it is first sent, in days: older ones are from before notices were wanted.
 */
const MAX_DAYS = 3;

/** Sends a message, and returns what went wrong; null if nothing did. Throws only the signal's reason. */
type Target = (message: WebhookMessage, signal: AbortSignal) => Promise<string | null>;

interface NotifierParts {
  db: Kysely<NewsTables>;
  /** Hosts of the address that may have addresses that are not public. */
  privateHosts: readonly string[];
  log: Pick<Logger, 'info' | 'warn'>;
}

/** A notice that this worker is to send. */
interface Claimed {
  id: number;
  type: string;
  at: Date;
  data: object;
  attempts: number;
  due_at: Date;
}

/** Sends notices to the program and the address that the site names, each at least once. */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #targets: readonly Target[];
  readonly #sender: WebhookSender;

  constructor(config: NoticeConfig, parts: NotifierParts) {
    const { NEWS_NOTICE_COMMAND: program, NEWS_NOTICE_URL: url, NEWS_NOTICE_SECRET: secret } = config;
    this.#parts = parts;
    this.#sender = new WebhookSender({
      userAgent: USER_AGENT,
      privateHosts: parts.privateHosts,
      privateHostsSetting: 'NEWS_PRIVATE_HOSTS',
    });
    const secrets = secret === undefined ? [] : [secret];
    const run: Target = ({ body }, signal) => runNoticeCommand(program ?? '', body, COMMAND_MS, signal);
    const post: Target = async (message, signal) =>
      (await this.#sender.send(url ?? '', message, secrets, signal)).fault;
    this.#targets = [...(program === undefined ? [] : [run]), ...(url === undefined ? [] : [post])];
  }

  /**
   * Sends the due notices, up to the first that fails: others would fail likewise. Returns the number sent.
   */
  async send(signal: AbortSignal): Promise<number> {
    for (let sent = 0; ; sent += 1) {
      const notice = await this.#claim();
      if (notice === undefined) return sent;
      const faults = await this.#attempt(notice, signal);
      if (faults.length > 0) return sent;
    }
  }

  close(): Promise<void> {
    return this.#sender.close();
  }

  async #claim(): Promise<Claimed | undefined> {
    const [claimed] = await NOTICES.claim<Claimed>(this.#parts.db, {
      due: sql`due_at <= clock_timestamp()
        and (attempts > 0 or at > clock_timestamp() - ${MAX_DAYS} * interval '1 day')`,
      order: sql`due_at, id`,
      most: 1,
      set: sql`attempts = attempts + 1`,
      returning: sql`id, type, at, data, attempts, due_at`,
    });
    return claimed;
  }

  async #attempt(notice: Claimed, signal: AbortSignal): Promise<string[]> {
    const { db, log } = this.#parts;
    const { id, type, attempts } = notice;
    const faults = [];
    const message = messageOf(notice);
    for (const target of this.#targets) {
      const fault = await target(message, signal);
      if (fault !== null) faults.push(fault);
    }
    const isSent = faults.length === 0;
    const wait = isSent ? undefined : webhookWait(attempts);
    await sql`
      update news.notice set last_error = ${isSent ? null : faults.join('; ')},
        last_error_code = ${isSent ? null : ('notice_not_taken' satisfies JobCode)},
        sent_at = case when ${isSent} then clock_timestamp() end,
        due_at = ${wait === undefined ? null : secondsFromNow(wait)}
      where id = ${id} and due_at = ${notice.due_at}
    `.execute(db);
    if (isSent) log.info({ notice: id, type }, 'notice_sent');
    else log.warn({ notice: id, type, attempts, faults }, 'notice_not_sent');
    return faults;
  }
}

/** The same at every attempt; ids begin again where a backup ended, so that of a message has its time. */
function messageOf({ id: number, type, at, data }: Claimed): WebhookMessage {
  const id = `ntc_${number}_${at.getTime().toString(36)}`;
  return { id, body: JSON.stringify({ id, type, timestamp: at.toISOString(), data }) };
}

/** Variables passed to the program; the worker's environment holds secrets. */
const PASSED = ['PATH', 'HOME', 'LANG', 'TZ'];

/**
 * Runs a program with `input` on its standard input, without a shell. Returns what went wrong, null if
 * nothing did; throws the signal's reason.
 */
export async function runNoticeCommand(
  program: string,
  input: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  const env = Object.fromEntries(PASSED.map((name) => [name, process.env[name]]));
  const deadline = AbortSignal.timeout(timeoutMs);
  const child = spawn(program, [], {
    ...{ env, stdio: ['pipe', 'ignore', 'ignore'], killSignal: 'SIGKILL' },
    signal: AbortSignal.any([signal, deadline]),
  });
  // It need not read all of it.
  child.stdin?.on('error', () => undefined).end(input);
  try {
    const [code, killedBy] = await once(child, 'close');
    if (code === 0) return null;
    return code === null ? `it was ended by ${killedBy}` : `it ended with exit code ${code}`;
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return `it did not end within ${timeoutMs / 1000} s`;
    return `it cannot be run${error instanceof Error && 'code' in error ? ` (${error.code})` : ''}`;
  }
}

/**
 * Something that a site's operators are to know. It holds no secret, such as the address of a private feed.
 */
interface Notice {
  type: 'source.dead' | 'source.replaced' | 'report.published' | 'import.refused' | 'schedule.missed';
  /** Tells the event from others of its type. */
  key: string;
  data: Readonly<Record<string, unknown>>;
}

/** Keeps notices until they are sent; those of events that are known already are left out. */
export async function addNotices(db: Kysely<NewsTables>, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  const rows = notices.map(({ type, key, data }) => ({ type, key: `${type}:${key}`, data }));
  await sql`
    insert into news.notice (type, key, data)
    select type, key, data from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (type text, key text, data jsonb)
    where not exists (select from news.notice as known where known.key = row.key collate "C")
    on conflict (key) do nothing
  `.execute(db);
}

/** A source that has failed this long counts as dead, in ms. */
const DEAD_MS = 3 * 86_400_000;

/** A schedule that is this late counts as missed, in seconds. */
const MISSED_SECONDS = 900;

/** Greatest age of a report that a notice announces, in ms. */
const REPORT_MS = 3 * 86_400_000;

interface Collecting {
  schedules: readonly Schedule[];
  calendar: Calendar;
  now: Date;
}

/**
 * Keeps a notice of each source that is gone, has failed for three days, or answers a page that names another
 * feed; of each report; and of each schedule that is a quarter of an hour late, once a day.
 */
export async function collectNotices(db: Kysely<NewsTables>, collecting: Collecting): Promise<void> {
  const found = [deadSources, replacedSources, newReports, missedSchedules].map((find) =>
    find(db, collecting),
  );
  await addNotices(db, (await Promise.all(found)).flat());
}

async function deadSources(db: Kysely<NewsTables>, { now }: Collecting): Promise<Notice[]> {
  const rows = await db
    .selectFrom('news.source')
    .select(['id', 'state', 'failures', 'failing_since'])
    .select(nameOf())
    .where('state', '<>', 'paused')
    .where('removed', 'is', null)
    .where((where) =>
      where.or([where('state', '=', 'gone'), where('failing_since', '<', new Date(now.getTime() - DEAD_MS))]),
    )
    .execute();
  return rows.map(({ id, state, name, failures, failing_since }) => ({
    type: 'source.dead',
    key: `${id}:${failing_since?.getTime() ?? ''}`,
    data: { source: id, name, isGone: state === 'gone', failures, failingSince: failing_since },
  }));
}

async function replacedSources(db: Kysely<NewsTables>): Promise<Notice[]> {
  const rows = await db
    .selectFrom('news.source')
    .select(['id', 'failing_since'])
    .select(nameOf())
    .where('state', '=', 'active')
    .where('offered_url', 'is not', null)
    .execute();
  return rows.map(({ id, name, failing_since }) => ({
    type: 'source.replaced',
    key: `${id}:${failing_since?.getTime() ?? ''}`,
    data: { source: id, name, failingSince: failing_since },
  }));
}

/** A source without a title is named after its host, which may be private. */
function nameOf() {
  return sql<string | null>`nullif(name, split_part(url, '/', 3))`.as('name');
}

async function newReports(db: Kysely<NewsTables>, { now }: Collecting): Promise<Notice[]> {
  const found = await Promise.all(
    PERIODS.map(async (period) => {
      const rows = await db
        .selectFrom(PERIOD_RULES[period].table)
        .select([sql<string>`to_char(date, 'YYYY-MM-DD')`.as('date'), 'item_ids'])
        .select(sql<Report['lead']>`report -> 'lead'`.as('lead'))
        .where('generated_at', '>', new Date(now.getTime() - REPORT_MS))
        .execute();
      return rows.map(
        ({ date, item_ids, lead }): Notice => ({
          type: 'report.published',
          key: `${period}:${date}`,
          data: { period, date, title: lead?.title ?? null, items: item_ids.length },
        }),
      );
    }),
  );
  return found.flat();
}

async function missedSchedules(
  db: Kysely<NewsTables>,
  { schedules, calendar, now }: Collecting,
): Promise<Notice[]> {
  const status = await scheduleStatus(db, schedules, now);
  return status.flatMap(({ name, lagSeconds, lastRunAt, lastError }): Notice[] => {
    // In a new installation all are late.
    const isNew = lastRunAt === null && lastError === null;
    if (isNew || lagSeconds < MISSED_SECONDS) return [];
    const due = new Date(now.getTime() - lagSeconds * 1000);
    const data = { schedule: name, due, hasFailed: lastError !== null };
    return [{ type: 'schedule.missed', key: `${name}:${calendar.date(due)}`, data }];
  });
}
