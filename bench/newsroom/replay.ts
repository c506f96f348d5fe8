import { hash } from 'node:crypto';
import type { Clock } from '@pressroom/news-feed/calendar';
import { itemChecker } from '@pressroom/news-feed/editing/item-members';
import { WRITTEN_COLUMNS } from '@pressroom/news-feed/editing/items';
import { keeping, ruleJudge } from '@pressroom/news-feed/grouping/judging';
import { RulesAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { Reader } from '@pressroom/news-feed/reading/reader';
import { addSource } from '@pressroom/news-feed/reading/sources';
import type { Fetch } from '@pressroom/news-feed/reading/web-fetcher';
import type { NewsTables } from '@pressroom/news-feed/tables';
import type { Vocabulary } from '@pressroom/news-feed/words';
import { type EditParts, editEntries } from '@pressroom/news-feed/work/edit-entries';
import { Throttle } from '@pressroom/news-feed/work/job-slots';
import { type PollParts, pollBounds, pollSource } from '@pressroom/news-feed/work/poll-source';
import { newsroomSchedules, RANKING_MS, runSchedule } from '@pressroom/news-feed/work/schedules';
import { readLexicon, readRules } from '@pressroom/stories';
import { type Kysely, sql } from 'kysely';

export interface ReplayParts {
  vocabulary: Vocabulary;
  sources: number;
  days: number;
}

export interface ReplayResult {
  polls: number;
  items: number;
  stories: number;
  rankings: number;
  dailies: number;
  /** SHA-256 of everything that readers see, and of the sources: the same after the same replay. */
  digest: string;
}

/** When the replay begins: so that a week has a leap day, a Monday and the first of a month. */
const BEGIN = new Date('2096-02-25T20:00:00Z');

/** Half an hour at least between two polls of a source: a week is to take a minute. */
const BOUNDS = pollBounds(1800);

/** Steps of the clock: to the minute, as the schedules go. */
const MINUTE_MS = 60_000;

/** Select rules of the sources, in turn. */
const SELECT_RULES = ['auto', 'all', 'none'];

/**
 * Plays a made-up week of feeds to the newsroom, poll by poll and schedule by schedule in the order of their
 * times, by a clock that jumps from minute to minute, in a database without sources and items. The rules
 * judge and assign stories.
 */
export async function replay(db: Kysely<NewsTables>, parts: ReplayParts): Promise<ReplayResult> {
  const reader = new Reader();
  const replayed = db.connection().execute(async (session) => {
    // Data that are made up need not survive a crash.
    await sql`set synchronous_commit = off`.execute(session);
    // It does what the worker does, and edits nothing by hand.
    await sql`set application_name = 'pressroom newsroom worker'`.execute(session);
    return play(session, reader, parts);
  });
  return replayed.finally(() => reader.close());
}

async function play(db: Kysely<NewsTables>, reader: Reader, parts: ReplayParts): Promise<ReplayResult> {
  let now = BEGIN;
  const work = workOf(db, reader, parts, () => now);
  for (let source = 0; source < parts.sources; source += 1) {
    await addSource(db, madeUpFeed(source), { select: SELECT_RULES[source % 3] ?? 'auto' }, now);
  }
  const schedules = newsroomSchedules({ vocabulary: parts.vocabulary, keepDays: 7 });
  const { signal } = new AbortController();
  const end = new Date(BEGIN.getTime() + parts.days * 86_400_000);
  const ranThrough = new Map<string, Date>();
  let due = await sourcesByPoll(db);
  let polls = 0;
  let rankings = 0;
  for (; now < end; now = new Date(now.getTime() + MINUTE_MS)) {
    for (const schedule of now.getTime() % RANKING_MS === 0 ? schedules : []) {
      const latest = schedule.latest(now);
      const ran = ranThrough.get(schedule.name);
      // Asked here, because most of them are not due and would still cost a transaction.
      if (ran !== undefined && latest <= ran) continue;
      await db.transaction().execute((tx) => runSchedule(tx, schedule, now));
      ranThrough.set(schedule.name, latest);
      if (schedule.name === 'ranking') rankings += 1;
    }
    if (due.every(({ next_poll_at }) => next_poll_at > now)) continue;
    for (const { id, next_poll_at } of due) {
      if (next_poll_at > now) break;
      await pollAndEdit(work, id, signal);
      polls += 1;
    }
    due = await sourcesByPoll(db);
  }
  return { polls, rankings, ...(await outcome(db)) };
}

/** Dependencies of a worker's jobs, with feeds that are made up and nothing that they wait for. */
function workOf(db: Kysely<NewsTables>, reader: Reader, parts: ReplayParts, clock: Clock) {
  const search = new StorySearch(readLexicon());
  const rules = readRules({ NEWS_PACKS: ['technology'] });
  return {
    db,
    judge: keeping(ruleJudge({ db, rules: () => rules, search, vocabulary: parts.vocabulary })),
    stories: new RulesAssigner(search),
    writing: new Throttle(1),
    clock,
    fetch: madeUpWeek(parts.sources, parts.days, BEGIN, clock),
    reader,
    bounds: BOUNDS,
    random: () => 0.5,
    subscribes: false,
    checkItem: itemChecker(parts.vocabulary),
    pages: { read: async () => undefined },
    crawlPolicy: () => ({ mayRequest: async () => true, takeTurn: async () => undefined }),
  };
}

/** Polls a source and edits what it brings, as two jobs of a worker do. */
async function pollAndEdit(work: PollParts & EditParts, id: number, signal: AbortSignal): Promise<void> {
  const outcome = await pollSource(work, id, signal);
  if (outcome.kind === 'failed') throw new Error(`source ${id} failed: ${outcome.reason}`);
  if (outcome.kind !== 'read' || outcome.pending === 0) return;
  for (;;) {
    const { written, failed } = await editEntries(work, id, signal);
    if (failed > 0) throw new Error(`${failed} entries of source ${id} failed; news.source_entry says why`);
    if (written === 0) return;
  }
}

/** The sources in the order in which they are to be polled. */
async function sourcesByPoll(db: Kysely<NewsTables>): Promise<{ id: number; next_poll_at: Date }[]> {
  return db
    .selectFrom('news.source')
    .select(['id', 'next_poll_at'])
    .where('state', '=', 'active')
    .orderBy('next_poll_at')
    .orderBy('id')
    .execute();
}

/** Everything that readers see, and the state of the sources; every id is the same in each replay. */
async function outcome(
  db: Kysely<NewsTables>,
): Promise<Pick<ReplayResult, 'items' | 'stories' | 'dailies' | 'digest'>> {
  const items = await db
    .selectFrom('news.item')
    .select(['id', ...WRITTEN_COLUMNS])
    .orderBy('id')
    .execute();
  const stories = await db
    .selectFrom('news.story')
    .select(['public_id', 'title', 'status', 'digest', 'digest_updated_at', 'merged_into'])
    .orderBy('public_id')
    .execute();
  const references = await sql`
    select story, kind, neighbor, relation, position from news.story_reference order by story, kind, neighbor
  `.execute(db);
  const dailies = await sql`select date::text, generated_at, report from news.daily order by date`.execute(
    db,
  );
  const rankings = await sql`
    select published_at, direction, rank, item_id, source_names, inputs
    from news.ranking_entry join news.ranking on ranking.id = ranking_id
    where ranking_id = (select max(id) from news.ranking) order by direction, rank
  `.execute(db);
  const sources = await db
    .selectFrom('news.source')
    .select(['url', 'name', 'next_poll_at', 'interval_seconds', 'last_change_at'])
    .orderBy('url')
    .execute();
  const state = [items, stories, references.rows, dailies.rows, rankings.rows, sources];
  return {
    items: items.length,
    stories: stories.filter(({ merged_into }) => merged_into === null).length,
    dailies: dailies.rows.length,
    digest: hash('sha256', JSON.stringify(state)),
  };
}

/** An article of the made-up week, as one source tells it. */
interface Article {
  guid: string;
  title: string;
  /** The title from an hour after its publication on, if the source edits it. */
  laterTitle: string | undefined;
  link: string;
  at: number;
}

const LISTED = 20;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The address of a made-up source; nothing listens there. */
function madeUpFeed(source: number): string {
  return `https://source-${source}.invalid/feed.xml`;
}

/**
 * Feeds of a week that never was, the same each time: every source has two to eight articles a day, a fifth
 * of them about an event that other sources report on too, some of them under the same address, and edits a
 * tenth of them an hour later. A feed lists the articles up to the time of the clock.
 */
function madeUpWeek(sources: number, days: number, begin: Date, clock: () => Date): Fetch {
  const feeds = new Map(
    Array.from({ length: sources }, (_, source) => [madeUpFeed(source), articlesOf(source, days, begin)]),
  );
  return async (url, headers) => {
    const articles = feeds.get(url) ?? [];
    const body = Buffer.from(feedOf(url, articles, clock().getTime()));
    const etag = `"${hash('sha256', body)}"`;
    const unchanged = headers['if-none-match'] === etag;
    return {
      status: unchanged ? 304 : 200,
      url,
      movedTo: undefined,
      headers: { etag, 'content-type': 'application/rss+xml' },
      body: unchanged ? Buffer.alloc(0) : body,
    };
  };
}

function articlesOf(source: number, days: number, begin: Date): Article[] {
  return Array.from({ length: days }, (_, day) => {
    const articles = 2 + pick(7, 'number', source, day);
    return Array.from({ length: articles }, (_, index): Article => {
      const isShared = pick(5, 'shared', source, day, index) === 0;
      const event = pick(20, 'event', source, day, index);
      const name = isShared ? `event-${day}-${event}` : `${source}-${day}-${index}`;
      const isCopy = isShared && pick(2, 'copy', source, day, index) === 0;
      const isEdited = pick(10, 'edited', source, day, index) === 0;
      return {
        guid: `${source}-${day}-${index}`,
        title: titleOf(name),
        laterTitle: isEdited ? `${titleOf(name)}, corrected` : undefined,
        link: isCopy
          ? `https://events.invalid/${name}?utm_source=${source}`
          : `https://source-${source}.invalid/${name}-${index}`,
        at: begin.getTime() + day * DAY_MS + pick(DAY_MS, 'time', source, day, index),
      };
    });
  }).flat();
}

function feedOf(url: string, articles: readonly Article[], now: number): string {
  const listed = articles
    .filter(({ at }) => at <= now)
    .sort((a, b) => b.at - a.at)
    .slice(0, LISTED);
  const items = listed.map(({ guid, title, laterTitle, link, at }) => {
    const shown = laterTitle !== undefined && at + HOUR_MS <= now ? laterTitle : title;
    const date = new Date(at).toUTCString();
    return `<item><guid isPermaLink="false">${guid}</guid><title>${shown}</title><link>${link}</link><description>What ${shown} says.</description><pubDate>${date}</pubDate></item>`;
  });
  return `<rss version="2.0"><channel><title>${new URL(url).host}</title>${items.join('')}</channel></rss>`;
}

/** A distinct title for each event: two names, a number and what happened. */
function titleOf(event: string): string {
  const word = (place: number) => wordOf(pick(40_000, 'word', event, place));
  const name = (place: number) => word(place).replace(/^./, (letter) => letter.toUpperCase());
  return `${name(0)} ${word(1)} ${pick(5000, 'number', event)} ${word(2)} ${word(3)} ${name(4)}`;
}

const SYLLABLES = 'ba do fi gu ke la mo ni pu re sa to vi wu ze'.split(' ');

/** An invented word, from its number. */
function wordOf(number: number): string {
  let [rest, word] = [number, ''];
  do {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return `${word}n`;
}

/** A whole number below `below`, the same for the same key. */
function pick(below: number, ...key: (string | number)[]): number {
  return hash('sha256', key.join(' '), 'buffer').readUInt32BE() % below;
}
