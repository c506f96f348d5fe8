import type { Logger } from '@pressroom/common/log/logging';
import { backoffMs, type WebhookMessage, WebhookSender } from '@pressroom/common/webhooks/webhook-sender';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { USER_AGENT } from '../fetching/user-agent.ts';
import { runNoticeCommand } from './notice-command.ts';
import type { NoticeConfig } from './notice-settings.ts';

/** The time limit of a command, in ms; that of a request is the same. */
const COMMAND_MS = 10_000;

/** How long a worker that is gone keeps a notice, in seconds; longer than it is sent to both. */
const LEASE_SECONDS = 60;

/** How old a notice may be when it is first sent, in days: older ones are from before notices were wanted. */
const MAX_DAYS = 3;

/** Sends a message, and returns what went wrong; null if nothing did. Throws only the signal's reason. */
type Target = (message: WebhookMessage, signal: AbortSignal) => Promise<string | null>;

/** What a {@link Notifier} works with. */
export interface NotifierParts {
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
  /** The end of the lease. */
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
   * Sends what is due, up to the first that fails: others would fail likewise. Returns how many were sent.
   */
  async send(signal: AbortSignal): Promise<number> {
    for (let sent = 0; ; sent += 1) {
      const notice = await this.#claim();
      if (notice === undefined) return sent;
      const faults = await this.#attempt(notice, signal);
      if (faults.length > 0) return sent;
    }
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#sender.close();
  }

  async #claim(): Promise<Claimed | undefined> {
    const { rows } = await sql<Claimed>`
      update news.notice
      set attempts = attempts + 1, due_at = clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'
      where id = (
        select id from news.notice
        where due_at <= clock_timestamp()
          and (attempts > 0 or at > clock_timestamp() - ${MAX_DAYS} * interval '1 day')
        order by due_at, id limit 1 for update skip locked
      )
      returning id, type, at, data, attempts, due_at
    `.execute(this.#parts.db);
    return rows[0];
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
    const pause = isSent ? undefined : backoffMs(attempts);
    await sql`
      update news.notice set last_error = ${isSent ? null : faults.join('; ')},
        sent_at = case when ${isSent} then clock_timestamp() end,
        due_at = clock_timestamp() + ${pause ?? null}::float8 * interval '1 ms'
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
