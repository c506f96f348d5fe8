import { randomBytes } from 'node:crypto';
import { backoffOf, Lease, secondsFromNow } from '@pressroom/common/database/leases';
import { Failure, type JobCode, reasonOf, sourceCodeOf } from '@pressroom/common/failures/failure';
import type { Logger } from '@pressroom/common/log/logging';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Clock } from '../calendar.ts';
import type { NewsTables } from '../tables.ts';
import type { HubLinks } from './feed.ts';
import type { Post } from './web-fetcher.ts';

/** The lease of a subscription that hubs are asked for, in seconds: ten days. */
const ASKED_SECONDS = 864_000;

/** After how long an unanswered request is repeated. */
const BACKOFF = { firstSeconds: 300, mostSeconds: 86_400 };

/** A hub answers in a request of its own: no process has a question in hand, it only is not repeated. */
const QUESTIONS = new Lease({
  table: 'news.websub_subscription',
  key: ['token'],
  until: 'ask_at',
  seconds: backoffOf(BACKOFF, sql`attempts + 1`),
});

/** Attempts to end a subscription; after these the lease runs out. */
const MOST_UNSUBSCRIBES = 5;

/** Notifications of a source make it be polled at most this often, in seconds. */
const POLL_SECONDS = 10;

/** Dependencies of the callback for hubs. */
export interface CallbackParts {
  db: Kysely<NewsTables>;
  clock: Clock;
  log: Logger;
}

/** A subscription that the hub is to be asked for. */
interface Request {
  token: string;
  mode: 'subscribe' | 'unsubscribe';
  hub: string;
  topic: string;
  secret: string;
  /** The address that an editor gave as its source; the hub's own once the source is gone. */
  givenUrl: string;
}

/**
 * Notes that a source names a hub, in the transaction that stores its poll; undefined if it names none. A
 * subscription at another hub, or of another topic, is ended.
 */
export async function noteHub(
  tx: Transaction<NewsTables>,
  sourceId: number,
  links: HubLinks | undefined,
): Promise<void> {
  const known = await tx
    .selectFrom('news.websub_subscription')
    .select(['token', 'hub', 'topic'])
    .where('source_id', '=', sourceId)
    .executeTakeFirst();
  if (known?.hub === links?.hub && known?.topic === links?.topic) return;
  if (known !== undefined) {
    await tx
      .updateTable('news.websub_subscription')
      .set({ source_id: null })
      .where('token', '=', known.token)
      .execute();
  }
  if (links === undefined) return;
  const [token, secret] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  await tx
    .insertInto('news.websub_subscription')
    .values({ token, source_id: sourceId, ...links, secret, ask_at: sql<Date>`now()` })
    .execute();
}

/**
 * Takes the subscriptions of which the hub is to be asked now, oldest first; each is due again after a wait
 * that doubles until the hub answers, so a lost answer costs nothing. Requests to unsubscribe end after a
 * few attempts.
 */
async function takeRequests(db: Kysely<NewsTables>, most: number): Promise<Request[]> {
  await db
    .deleteFrom('news.websub_subscription')
    .where('source_id', 'is', null)
    .where((where) =>
      where.or([where('lease_until', 'is', null), where('attempts', '>=', MOST_UNSUBSCRIBES)]),
    )
    .where('ask_at', '<=', sql<Date>`statement_timestamp()`)
    .execute();
  return QUESTIONS.claim<Request>(db, {
    due: sql`ask_at <= statement_timestamp()`,
    order: sql`ask_at`,
    most,
    set: sql`attempts = attempts + 1`,
    returning: sql`token, hub, topic, secret,
      coalesce((select given_url from news.source where id = websub_subscription.source_id), hub) as "givenUrl",
      case when source_id is null then 'unsubscribe' else 'subscribe' end as mode`,
  });
}

/** Keeps why a hub could not be asked, or has refused. */
export async function noteFault(
  db: Kysely<NewsTables>,
  token: string,
  reason: string,
  code: JobCode,
): Promise<void> {
  await db
    .updateTable('news.websub_subscription')
    .set({ last_error: reason, last_error_code: code })
    .where('token', '=', token)
    .execute();
}

/** A hub's request that verifies an intent (WebSub, "Hub Verifies Intent of the Subscriber"). */
interface Verification {
  mode: string;
  topic: string;
  leaseSeconds: number;
}

/**
 * True if the newsroom wants what a hub was asked for; then notes that the hub keeps it: a lease is renewed
 * after three quarters of it; a subscription that was ended is forgotten.
 */
export async function verify(
  db: Kysely<NewsTables>,
  token: string,
  { mode, topic, leaseSeconds }: Verification,
): Promise<boolean> {
  if (mode === 'subscribe') {
    const lease = Math.min(Math.max(60, leaseSeconds), 10 * ASKED_SECONDS);
    const { numUpdatedRows } = await db
      .updateTable('news.websub_subscription')
      .set({
        lease_until: secondsFromNow(lease),
        ask_at: secondsFromNow(lease * 0.75),
        attempts: 0,
        last_error: null,
        last_error_code: null,
      })
      .where('token', '=', token)
      .where('topic', '=', topic)
      .where('source_id', 'is not', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
  if (mode !== 'unsubscribe') return false;
  const { numDeletedRows } = await db
    .deleteFrom('news.websub_subscription')
    .where('token', '=', token)
    .where('topic', '=', topic)
    .where('source_id', 'is', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The secret of a subscription that is wanted; undefined for others. */
export async function secretOf(db: Kysely<NewsTables>, token: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('news.websub_subscription')
    .select('secret')
    .where('token', '=', token)
    .where('source_id', 'is not', null)
    .executeTakeFirst();
  return row?.secret;
}

/** Triggers an immediate poll of a subscription's source, at most every 10 s. */
export async function pollAtOnce(db: Kysely<NewsTables>, token: string, now: Date): Promise<void> {
  await sql`
    with notified as (
      update news.websub_subscription set last_notified_at = ${now} where token = ${token} returning source_id
    )
    update news.source set
      next_poll_at = least(next_poll_at, greatest(${now}, last_polled_at + ${POLL_SECONDS} * interval '1 second'))
    from notified where source.id = notified.source_id and state = 'active'
  `.execute(db);
}

/**
 * When to poll a source next: `next`, or soon if its hub has notified since `last_notified_at` was read. The
 * poll that ends now may have been answered before that.
 */
export function nextPoll(
  { id, last_notified_at }: { id: number; last_notified_at: Date | null },
  next: Date,
  now: Date,
): RawBuilder<Date> {
  return sql`
    case when exists (
      select from news.websub_subscription where source_id = ${id} and last_notified_at is not null
        and last_notified_at is distinct from ${last_notified_at}::timestamptz
    ) then least(${next}::timestamptz, ${now}::timestamptz + ${POLL_SECONDS} * interval '1 second')
    else ${next}::timestamptz end
  `;
}

/** Hubs asked in one go. */
const MOST_REQUESTS = 20;

export interface SubscriberParts {
  db: Kysely<NewsTables>;
  post: Post;
  /** The public address below which the callbacks are. */
  callbackUrl: string;
}

/**
 * Asks hubs for what is due: new subscriptions, renewals and ends. A hub that fails is asked again later; the
 * reason is kept. Returns how many were asked.
 */
export async function askHubs(parts: SubscriberParts, signal: AbortSignal): Promise<number> {
  const requests = await takeRequests(parts.db, MOST_REQUESTS);
  await Promise.all(requests.map((request) => askHub(parts, request, signal)));
  return requests.length;
}

async function askHub(
  { db, post, callbackUrl }: SubscriberParts,
  { token, mode, hub, topic, secret, givenUrl }: Request,
  signal: AbortSignal,
): Promise<void> {
  const form = new URLSearchParams({
    'hub.callback': `${callbackUrl.replace(/\/$/, '')}/websub/${token}`,
    'hub.mode': mode,
    'hub.topic': topic,
    ...(mode === 'subscribe' && { 'hub.secret': secret, 'hub.lease_seconds': String(ASKED_SECONDS) }),
  });
  try {
    const status = await post(hub, form, signal, givenUrl);
    const reason = `the hub answered with status ${status}`;
    if (status >= 300) await noteFault(db, token, reason, 'hub_answers_error');
  } catch (error) {
    signal.throwIfAborted();
    const code = error instanceof Failure ? sourceCodeOf(error.code) : undefined;
    await noteFault(db, token, `the hub: ${reasonOf(error)}`, code ?? 'source_unreachable');
  }
}
