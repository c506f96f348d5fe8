import { hash } from 'node:crypto';
import { isDatabaseAway, isRefusedData } from '@pressroom/common/database/database';
import { backoffSeconds } from '@pressroom/common/database/leases';
import { Failure, reasonOf, type SourceCode, sourceCodeOf } from '@pressroom/common/failures/failure';
import type { SecretBox } from '@pressroom/common/secrets/secret-box';
import type { Kysely, Transaction, Updateable } from 'kysely';
import type { Clock } from '../calendar.ts';
import { MAX_SOURCE_URL_BYTES } from '../fields.ts';
import type { FeedReading, SourceReading } from '../reading/read-feed.ts';
import { isUnread, type Reader } from '../reading/reader.ts';
import type { SitemapMemory } from '../reading/sitemap.ts';
import { ownRequestOf } from '../reading/source-access.ts';
import type { Source } from '../reading/sources.ts';
import { codeOfStatus, wallOf } from '../reading/walls.ts';
import type { CrawlPolicy, Fetch, Fetched } from '../reading/web-fetcher.ts';
import { nextPoll, noteHub } from '../reading/websub.ts';
import type { NewsTables, SourceTable } from '../tables.ts';
import { transactWithRetries, type Work } from '../transactions.ts';
import { hasEntries, hasEntryLike, intakeFault, intakeOf, siteOf, storeEntries } from './entries.ts';
import { distinctBy } from './entry-identity.ts';
import type { Throttle } from './job-slots.ts';

export interface PollParts {
  db: Kysely<NewsTables>;
  fetch: Fetch;
  reader: Reader;
  /** The rules of crawling for hosts of pages that list articles. */
  crawlPolicy: (signal: AbortSignal, givenUrl: string, proxy: string | null) => CrawlPolicy;
  clock: Clock;
  /** Throttles storing entries, as it does making items of them. */
  writing: Throttle;
  bounds: PollBounds;
  /** True to ask the hubs that feeds name to announce changes. */
  subscribes: boolean;
  /** From 0 to 1, for jitter. */
  random: () => number;
  /** Opens what sources keep secret; undefined without a key. */
  secrets?: SecretBox | undefined;
}

export type PollOutcome =
  /** The source is not to be polled now. */
  | { kind: 'skipped' }
  /** It was read; `pending` entries are new or have changed. */
  | { kind: 'read'; pending: number }
  | { kind: 'unchanged' }
  /** The page names its feed, which is polled next. */
  | { kind: 'discovered'; url: string }
  | { kind: 'failed'; reason: string };

const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, text/html;q=0.5, */*;q=0.1';

/** The headers that make a request conditional. */
const IS_CONDITION = ['if-none-match', 'if-modified-since'];

const ACCEPT_PAGE = 'text/html, application/xhtml+xml;q=0.9, */*;q=0.1';

/**
 * A source at the start of its poll, with the time of its hub's last notification and its sitemaps' memory.
 */
type PolledSource = Source & { last_notified_at: Date | null; known: Buffer | null };

/** Why a source was not read as it should be. */
interface Fault {
  reason: string;
  code: SourceCode;
}

/** Columns of the source that a poll writes. */
type PollColumns = Updateable<SourceTable> & { last_polled_at: Date };

type Reading =
  | { kind: 'unchanged' }
  | Extract<SourceReading, { kind: 'page' }>
  /** Without a hash, the same answer is read again; the fault is that of a part. */
  | (FeedReading & { bodyHash: Buffer | null; fault: Fault | null });

/**
 * Polls a source that is due, and keeps what it has read together with when to poll next, in one transaction.
 * Faults of the source, and what it sends that the database does not take, are recorded on it and not thrown.
 * Faults of the program are both; while the database is away, or the worker has no time to read, the poll can
 * be repeated.
 */
export async function pollSource(
  parts: PollParts,
  sourceId: number,
  signal: AbortSignal,
): Promise<PollOutcome> {
  const source = await parts.db
    .selectFrom('news.source')
    .leftJoin('news.websub_subscription', 'news.websub_subscription.source_id', 'news.source.id')
    .selectAll('news.source')
    .leftJoin('news.source_sitemap', 'news.source_sitemap.source_id', 'news.source.id')
    .select(['last_notified_at', 'known'])
    .where('id', '=', sourceId)
    .where('state', '=', 'active')
    .executeTakeFirst();
  if (source === undefined || source.next_poll_at > parts.clock()) return { kind: 'skipped' };
  let answer: Fetched | undefined;
  try {
    const { url, given_url: givenUrl, list_selectors: selectors, proxy } = source;
    const crawlPolicy = selectors === null ? undefined : parts.crawlPolicy(signal, givenUrl, proxy);
    const headers = conditions(source, parts.clock());
    const own = ownRequestOf(source, parts.secrets);
    answer = await parts.fetch(url, headers, signal, givenUrl, crawlPolicy, own);
    if (answer.status === 304 && !IS_CONDITION.some((name) => name in headers)) {
      throw new Failure('upstream_failed', 'it answers 304 (not changed) even to a first request', {
        code: 'source_answers_error',
      });
    }
    return await succeed(parts, source, answer, await read(parts, answer, source, signal));
  } catch (error) {
    if (signal.aborted || isDatabaseAway(error) || isUnread(error)) throw error;
    const wall = answer && error instanceof Failure ? wallOf(answer, source.url) : undefined;
    const theirs = wall ?? faultOf(error);
    const offered =
      wall === undefined && error instanceof OfferedFeed && !isTooLong(error.url) ? error.url : null;
    const ours: Fault = { reason: `the worker failed: ${reasonOf(error)}`, code: 'source_worker_failed' };
    const outcome = await fail(parts, source, { ...(theirs ?? ours), offered }, answer);
    if (theirs === undefined) throw error;
    return outcome;
  }
}

/** The fault of the source; undefined if the program is at fault. */
function faultOf(error: unknown): Fault | undefined {
  if (error instanceof Failure) {
    return { reason: error.message, code: sourceCodeOf(error.code) ?? 'source_unreadable' };
  }
  if (!isRefusedData(error)) return undefined;
  return { reason: `what it sent cannot be stored: ${reasonOf(error)}`, code: 'source_unstorable' };
}

/** The columns that keep a fault. */
function lastError(fault: Fault | null): Pick<PollColumns, 'last_error' | 'last_error_code'> {
  return { last_error: fault?.reason ?? null, last_error_code: fault?.code ?? null };
}

/** The media types to ask for, of a page that lists articles or of a feed. */
export function acceptedTypes(listSelectors: string | null): { accept: string } {
  return { accept: listSelectors === null ? ACCEPT : ACCEPT_PAGE };
}

/** None once a day: a server may go on saying that nothing has changed. */
function conditions(
  { etag, last_modified, last_polled_at: last, list_selectors: selectors }: Source,
  now: Date,
): Record<string, string> {
  const isNewDay = last !== null && last.toISOString().slice(0, 10) !== now.toISOString().slice(0, 10);
  if (isNewDay) return acceptedTypes(selectors);
  return {
    ...acceptedTypes(selectors),
    ...(etag !== null && { 'if-none-match': etag }),
    ...(last_modified !== null && { 'if-modified-since': last_modified }),
  };
}

/** Throws a {@link Failure} that says why the answer is not a feed. */
async function read(
  parts: PollParts,
  answer: Fetched,
  source: PolledSource,
  signal: AbortSignal,
): Promise<Reading> {
  if (answer.status === 304) return { kind: 'unchanged' };
  const bodyHash = hash('sha256', answer.body, 'buffer');
  if (answer.body.length > 0 && source.body_hash?.equals(bodyHash)) return { kind: 'unchanged' };
  const { known, last_success_at: since } = source;
  const memory = known === null ? { since: null, known: new Uint8Array() } : { since, known };
  const reading = await readAnswer(parts, answer, source, memory, true);
  if (reading.kind === 'page') checkPage(source, reading.feedUrl);
  if (reading.kind === 'page') return reading;
  await checkSite(parts.db, source, answer.url, reading.kind === 'feed' ? reading.feed.entries : []);
  if (reading.kind === 'feed') return { ...reading, bodyHash, fault: null };
  const whole = await readSitemaps(parts, source, reading, memory, signal);
  return { ...whole, bodyHash: reading.isDated ? bodyHash : null };
}

/** Throws a fault of a page that names a feed, unless the feed is to be read from now on. */
function checkPage(source: PolledSource, feedUrl: string): void {
  // A page decides its source's feed only before anything is read: later it may belong to a parked domain.
  // And only if an editor gave its address: otherwise pages could send the worker in circles.
  const isNew = source.url === source.given_url && source.last_success_at === null;
  if (!isNew) {
    throw feedUrl === source.url
      ? new Failure('invalid', INSTEAD, { code: 'source_is_page' })
      : new OfferedFeed('source_is_page', `${INSTEAD}; the page names`, feedUrl);
  }
  if (isTooLong(feedUrl)) {
    throw new Failure('invalid', `the address of its feed is ${TOO_LONG}`, {
      code: 'source_address_too_long',
    });
  }
}

/** Throws a fault of a redirect to another site than before, unless that has something of the source. */
async function checkSite(
  db: Kysely<NewsTables>,
  source: PolledSource,
  url: string,
  entries: FeedReading['feed']['entries'],
): Promise<void> {
  const site = siteOf(new URL(url));
  const known = [source.answered_site ?? site, siteOf(new URL(source.url))];
  // The site of a domain that was sold publishes under the name of the source.
  if (known.includes(site) || !(await hasEntries(db, source.id))) return;
  if (await hasEntryLike(db, source.id, entries)) return;
  const found = 'it redirects to another site that has none of its entries, at';
  throw new OfferedFeed('source_moved_away', found, url);
}

const INSTEAD = 'it answers with a page instead of its feed';

/** Another feed in place of one that was read before; an editor decides. */
class OfferedFeed extends Failure {
  readonly url: string;

  constructor(code: SourceCode, found: string, url: string) {
    super('invalid', `${found} ${url}: if that is the source's, give it this address`, { code });
    this.url = url;
  }
}

async function readAnswer(
  { reader }: PollParts,
  answer: Fetched,
  source: Source,
  memory: SitemapMemory,
  mayBePage: boolean,
): Promise<SourceReading> {
  const { status, headers, body, url } = answer;
  if (status === 410 && isGone(source, answer)) {
    throw new Failure('missing', 'it is gone for good (status 410)', { code: 'source_gone' });
  }
  if (status < 200 || status > 299) {
    throw new Failure('upstream_failed', `it answered with status ${status}`, { code: codeOfStatus(status) });
  }
  return reader.read(source.given_url, 'feed', {
    ...{ body, url, contentType: headers['content-type'], link: headers.link },
    ...{ mayBePage, memory, listSelectors: source.list_selectors, timeZone: source.time_zone ?? undefined },
  });
}

/** Reads the sitemaps that an index leads to; those that cannot be read are left out, unless none can. */
async function readSitemaps(
  parts: PollParts,
  source: PolledSource,
  { urls, listed }: Extract<SourceReading, { kind: 'index' }>,
  { since, known: before }: SitemapMemory,
  signal: AbortSignal,
): Promise<Omit<FeedReading, 'hub'> & { hub: undefined; fault: Fault | null }> {
  const feeds: FeedReading['feed'][] = [];
  let known = before;
  let fault: Fault | null = null;
  const own = ownRequestOf(source, parts.secrets);
  for (const url of urls) {
    try {
      const { fetch } = parts;
      const answer = await fetch(url, acceptedTypes(null), signal, source.given_url, undefined, own);
      const reading = await readAnswer(parts, answer, source, { since, known }, false);
      if (reading.kind !== 'feed' || reading.sitemap === undefined) {
        throw new Failure('invalid', 'it is not a sitemap', { code: 'source_not_feed' });
      }
      known = reading.sitemap.known;
      feeds.push(reading.feed);
    } catch (error) {
      const theirs = signal.aborted || isUnread(error) ? undefined : faultOf(error);
      if (theirs === undefined) throw error;
      fault = { ...theirs, reason: `${url}: ${theirs.reason}` };
    }
  }
  if (feeds.length === 0 && fault !== null) {
    throw new Failure('upstream_failed', fault.reason, { code: fault.code });
  }
  const sum = (count: 'unusable' | 'unread' | 'repeated') =>
    feeds.reduce((total, feed) => total + feed[count], 0);
  return {
    kind: 'feed',
    feed: {
      title: null,
      entries: feeds.flatMap(({ entries }) => entries),
      home: source.url,
      unusable: sum('unusable'),
      unread: sum('unread'),
      repeated: sum('repeated'),
      leftOut: feeds.flatMap(({ leftOut }) => leftOut),
      updateSeconds: undefined,
    },
    hub: undefined,
    sitemap: { known, listed },
    fault,
  };
}

async function succeed(
  parts: PollParts,
  source: PolledSource,
  answer: Fetched,
  reading: Reading,
): Promise<PollOutcome> {
  if (reading.kind === 'unchanged' && !mayMove(answer)) {
    const columns = polled(parts, source, { headers: answer.headers, reading, isChanged: false });
    return (await write(parts.db, source, columns)) ? { kind: 'unchanged' } : { kind: 'skipped' };
  }
  const work: Work<PollOutcome> = async (tx) => {
    if (!(await isStill(tx, source))) return { kind: 'skipped' };
    if (reading.kind === 'page') return discovered(tx, source, reading.feedUrl, parts.clock());
    return keep(tx, parts, source, answer, reading);
  };
  return parts.writing.take(() => transactWithRetries(parts.db, work));
}

async function keep(
  tx: Transaction<NewsTables>,
  parts: PollParts,
  source: PolledSource,
  answer: Fetched,
  given: Exclude<Reading, { kind: 'page' }>,
): Promise<PollOutcome> {
  const reading = given.kind === 'feed' ? { ...given, feed: distinctBy(source.identity, given.feed) } : given;
  const now = parts.clock();
  const feed = reading.kind === 'feed' ? reading.feed : undefined;
  const intake = intakeOf(source, now);
  const { kept, leftOut } = await storeEntries(tx, source, feed, intake.room, now);
  const pending = kept.added + kept.changed;
  const amount = intakeFault(leftOut);
  const tooMany: Fault | null = amount === null ? null : { reason: amount, code: 'source_too_many_entries' };
  const fault = tooMany ?? (reading.kind === 'feed' ? reading.fault : null);
  // A source that floods is asked less often; not so one whose changes alone are too many, while it has news.
  const isChanged = leftOut.added === 0 && (kept.added > 0 || (kept.changed > 0 && leftOut.changed === 0));
  if (parts.subscribes && reading.kind === 'feed') await noteHub(tx, source.id, reading.hub);
  if (reading.kind === 'feed' && reading.sitemap !== undefined && tooMany === null) {
    await remember(tx, source, Buffer.from(reading.sitemap.known));
  }
  const { headers, movedTo } = answer;
  const moved = movedTo && mayMove(answer) ? await freeAddress(tx, source, movedTo) : undefined;
  await write(tx, source, {
    ...polled(parts, source, { headers, reading, isChanged }),
    ...(reading.kind === 'feed' && {
      // Entries left out are read again, though the feed may not change.
      ...(fault !== null || reading.bodyHash === null
        ? { etag: null, last_modified: null, body_hash: null }
        : {
            etag: headers.etag ?? null,
            last_modified: headers['last-modified'] ?? null,
            body_hash: reading.bodyHash,
          }),
      unusable_entries: reading.feed.unusable,
      unread_entries: reading.feed.unread,
      repeated_entries: reading.feed.repeated,
      left_out: JSON.stringify(reading.feed.leftOut),
      ...(!source.is_named && reading.feed.title !== null && { name: reading.feed.title }),
    }),
    ...(pending > 0 && {
      last_change_at: now,
      taken_since: intake.since,
      taken: intake.taken.added + kept.added,
      taken_changes: intake.taken.changed + kept.changed,
    }),
    ...(moved?.url !== undefined && { url: moved.url }),
    ...(reading.kind === 'feed' && { answered_site: siteOf(new URL(answer.url)) }),
    ...lastError(moved?.fault ?? fault),
  });
  return feed === undefined ? { kind: 'unchanged' } : { kind: 'read', pending };
}

/**
 * True if the source moves to the target of a permanent redirect: not to a home page, where sites send
 * whatever they no longer have, and not before an answer has been read there.
 */
function mayMove({ movedTo, status }: Fetched): boolean {
  return movedTo !== undefined && status !== 304 && new URL(movedTo).pathname !== '/';
}

/** Stores the memory of a source's sitemaps. */
async function remember(tx: Transaction<NewsTables>, source: PolledSource, known: Buffer): Promise<void> {
  if (source.known?.equals(known)) return;
  await tx
    .insertInto('news.source_sitemap')
    .values({ source_id: source.id, known })
    .onConflict((conflict) => conflict.column('source_id').doUpdateSet({ known }))
    .execute();
}

/** Computes the time of the next poll after one that succeeded. */
function polled(
  { clock, bounds, random }: PollParts,
  source: Source,
  {
    headers,
    reading,
    isChanged,
  }: { headers: Fetched['headers']; reading: Exclude<Reading, { kind: 'page' }>; isChanged: boolean },
): PollColumns {
  const now = clock();
  const isRead = reading.kind === 'feed';
  const updateSeconds = isRead ? (reading.feed.updateSeconds ?? null) : source.update_seconds;
  const found = isRead ? (reading.sitemap?.listed ?? reading.feed.entries.length) : undefined;
  const isEmpty = found === undefined ? source.empty_reads > 0 : found === 0;
  const interval = adaptedInterval(source.interval_seconds, isChanged, bounds);
  const wait = waitAfterSuccess(interval, [updateSeconds, freshSeconds(headers)], random());
  return {
    update_seconds: updateSeconds,
    empty_reads: isEmpty ? source.empty_reads + 1 : 0,
    interval_seconds: interval,
    next_poll_at: after(now, wait),
    last_polled_at: now,
    last_success_at: now,
    failures: 0,
    failing_since: null,
    ...lastError(null),
    offered_url: null,
  };
}

async function fail(
  { db, clock, random }: PollParts,
  source: PolledSource,
  { offered, ...fault }: Fault & { offered: string | null },
  answer: Fetched | undefined,
): Promise<PollOutcome> {
  const now = clock();
  const failures = source.failures + 1;
  const asked = retryAfterSeconds(answer?.headers['retry-after'], now);
  await write(db, source, {
    ...(isGone(source, answer) && { state: 'gone' }),
    next_poll_at: after(now, waitAfterFailure(source.interval_seconds, failures, asked, random())),
    last_polled_at: now,
    failures,
    failing_since: source.failing_since ?? now,
    ...lastError(fault),
    offered_url: offered,
  });
  return { kind: 'failed', reason: fault.reason };
}

/** True if a source is gone for good; the target of a temporary redirect alone says nothing. */
function isGone({ url }: Pick<Source, 'url'>, answer: Fetched | undefined): boolean {
  return answer?.status === 410 && [url, answer.movedTo].includes(answer.url);
}

/** The source was a page: from now on, its feed is polled. */
async function discovered(
  tx: Transaction<NewsTables>,
  source: PolledSource,
  feedUrl: string,
  now: Date,
): Promise<PollOutcome> {
  const { url, fault } = await freeAddress(tx, source, feedUrl);
  if (fault !== undefined) {
    await write(tx, source, { state: 'paused', last_polled_at: now, ...lastError(fault) });
    return { kind: 'failed', reason: fault.reason };
  }
  await write(tx, source, { url, next_poll_at: now, last_polled_at: now, etag: null, last_modified: null });
  return { kind: 'discovered', url };
}

/** Fault of an address that `news.source` does not take. */
const TOO_LONG = `longer than ${MAX_SOURCE_URL_BYTES} bytes`;

function isTooLong(url: string): boolean {
  return Buffer.byteLength(url) > MAX_SOURCE_URL_BYTES;
}

/** A new address for a source, or the fault that it is too long or that another source has it. */
async function freeAddress(
  tx: Transaction<NewsTables>,
  source: Source,
  url: string,
): Promise<{ url: string; fault?: undefined } | { url?: undefined; fault: Fault }> {
  if (isTooLong(url)) {
    const reason = `it has moved to an address that is ${TOO_LONG}; its old one is still used`;
    return { fault: { reason, code: 'source_address_too_long' } };
  }
  const holder = await tx
    .selectFrom('news.source')
    .select('id')
    .where('url', '=', url)
    .where('id', '<>', source.id)
    .executeTakeFirst();
  if (holder === undefined) return { url };
  const reason = `it leads to ${url}, which is already source ${holder.id}; remove one of the two`;
  return { fault: { reason, code: 'source_known' } };
}

/** Locks the source; false if it was changed, polled or taken over while this poll was on its way. */
async function isStill(tx: Transaction<NewsTables>, source: Source): Promise<boolean> {
  const current = await tx
    .selectFrom('news.source')
    .select(['state', 'url', 'next_poll_at', 'holder'])
    .where('id', '=', source.id)
    .forUpdate()
    .executeTakeFirst();
  return (
    current?.state === 'active' &&
    current.url === source.url &&
    current.holder === source.holder &&
    current.next_poll_at.getTime() === source.next_poll_at.getTime()
  );
}

/** Writes the outcome of a poll; false if the source was changed, polled or taken over in the meantime. */
async function write(db: Kysely<NewsTables>, source: PolledSource, columns: PollColumns): Promise<boolean> {
  const { next_poll_at: next, last_polled_at: now } = columns;
  const { numUpdatedRows } = await db
    .updateTable('news.source')
    .set({ ...columns, ...(next && { next_poll_at: nextPoll(source, next, now) }), lease_until: null })
    .where('id', '=', source.id)
    .where('state', '=', 'active')
    .where('url', '=', source.url)
    .where('holder', 'is not distinct from', source.holder)
    .where('next_poll_at', '=', source.next_poll_at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + Math.round(seconds * 1000));
}

/** The bounds of the time between two polls of a source, in seconds. */
interface PollBounds {
  minSeconds: number;
  maxSeconds: number;
}

/** The longest interval of the worker itself, in seconds: a quiet source is read four times a day. */
const MAX_SECONDS = 21_600;

/** The bounds where two polls are at least so far apart. */
export function pollBounds(minSeconds: number): PollBounds {
  return { minSeconds, maxSeconds: Math.max(minSeconds, MAX_SECONDS) };
}

/** The longest wait that a source can ask for, in seconds. */
const MAX_ASKED_SECONDS = 7 * 86_400;

/** The longest wait that a source's cache headers or update period can cause, in seconds. */
const MAX_DECLARED_SECONDS = 86_400;

/** The longest wait after failures, in seconds. */
const MAX_BACKOFF_SECONDS = 86_400;

/** The most that is added to a wait by chance, so that sources do not fall due together. */
const JITTER = 0.1;

/** The next interval of a source: shorter when it has changed, longer when it has not. */
function adaptedInterval(seconds: number, changed: boolean, bounds: PollBounds): number {
  const adapted = changed ? seconds / 2 : seconds * 1.5;
  return Math.round(Math.min(bounds.maxSeconds, Math.max(bounds.minSeconds, adapted)));
}

/** The wait after a success: the interval, and no less than the source asks for. */
function waitAfterSuccess(
  intervalSeconds: number,
  declared: readonly (number | undefined | null)[],
  random: number,
): number {
  const least = Math.max(0, ...declared.map((seconds) => Math.min(seconds ?? 0, MAX_DECLARED_SECONDS)));
  return Math.max(intervalSeconds, least) * (1 + JITTER * random);
}

/** The wait after the nth failure in a row, and no less than `Retry-After` asks for. */
function waitAfterFailure(
  intervalSeconds: number,
  failures: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number {
  const backoff = { firstSeconds: intervalSeconds, mostSeconds: MAX_BACKOFF_SECONDS };
  const wait = backoffSeconds(backoff, failures);
  return Math.max(wait, Math.min(retryAfterSeconds ?? 0, MAX_ASKED_SECONDS)) * (1 + JITTER * random);
}

/** `Retry-After` in seconds (RFC 9110, section 10.2.3); undefined if it is absent or unreadable. */
function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = new Date(header).getTime();
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000);
}

/** For how long an answer is fresh by `Cache-Control` and `Age`, in seconds (RFC 9111). */
function freshSeconds(headers: Readonly<Record<string, string>>): number | undefined {
  const control = headers['cache-control'] ?? '';
  if (/\bno-(cache|store)\b/i.test(control)) return undefined;
  const maxAge = /\bmax-age\s*=\s*"?(\d{1,9})/i.exec(control)?.[1];
  if (maxAge === undefined) return undefined;
  return Math.max(0, Number(maxAge) - Number(/^\d{1,9}$/.exec(headers.age ?? '')?.[0] ?? 0));
}
