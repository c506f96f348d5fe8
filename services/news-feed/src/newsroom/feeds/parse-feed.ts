import { Failure } from '@pressroom/common/failures/failure';
import { webUri } from '@pressroom/common/fields/fields';
import { languageTag } from '../../language-tag.ts';
import { withoutBoilerplate } from './boilerplate.ts';
import { distinctEntries } from './distinct-entries.ts';
import { entryImage } from './entry-image.ts';
import type { FeedEntry, LeftOut, ParsedFeed } from './feed.ts';
import { feedDate } from './feed-date.ts';
import { readJsonFeed } from './json-feed.ts';
import { cutText, plainText } from './plain-text.ts';
import type { RawEntry, RawFeed, RawLink } from './raw-feed.ts';
import { firstSentences, summaryOf } from './summary.ts';
import { readXmlFeed } from './xml-feed.ts';

/** The most entries of one answer that are read: the newest. */
export const MAX_ENTRIES = 1000;

/** The most characters of a title. */
export const MAX_TITLE = 300;

/** The most characters of a feed's title. */
const MAX_FEED_TITLE = 200;

/** The most bytes of an entry's key. */
const MAX_KEY_BYTES = 2048;

/** How many entries that are left out are named. */
const MOST_NAMED = 10;

/** The most texts of an entry that are looked through for one that is not its title. */
const MOST_TEXTS = 3;

/** `sy:updatePeriod` in seconds (RDF Site Summary 1.0, Syndication module). */
const PERIODS = new Map([
  ['hourly', 3600],
  ['daily', 86_400],
  ['weekly', 7 * 86_400],
  ['monthly', 30 * 86_400],
  ['yearly', 365 * 86_400],
]);

/** A longer `ttl` means this one, in seconds. */
const MAX_TTL_SECONDS = 365 * 86_400;

/**
 * Reads RSS 0.9 to 2.0, RDF, Atom and JSON Feed. What is left out is counted and named. Throws a `Failure`
 * that says why the text is not a feed.
 *
 * @param url the feed's address, against which relative links are resolved
 */
export function parseFeed(text: string, url: string): ParsedFeed {
  return feedOf(readRaw(text, url), url);
}

/** A feed in plain text. */
export function feedOf(raw: RawFeed, url: string): ParsedFeed {
  const base = URL.parse(raw.home?.trim() ?? '', url)?.href ?? url;
  const newest = newestEntries(raw.entries);
  const read = newest.map((entry) => entryOf(entry, base, raw.languages));
  const { entries, repeated } = distinctEntries(read.filter((entry) => 'key' in entry));
  const unusable = read.filter((entry) => 'reason' in entry);
  const unread = raw.entries.length - newest.length;
  const leftOut = [
    ...unusable,
    ...repeated.map(({ title }) => ({ title, reason: 'it repeats another entry' })),
    ...(unread === 0 ? [] : unreadEntries(raw.entries, newest)),
  ];
  return {
    title: cutText(raw.title === undefined ? '' : plainText(raw.title), MAX_FEED_TITLE) || null,
    entries,
    unusable: unusable.length,
    unread,
    repeated: repeated.length,
    leftOut: leftOut.slice(0, MOST_NAMED),
    updateSeconds: updateSeconds(raw),
    links: raw.links,
  };
}

/** Reads a feed or a sitemap as it is written. Throws a `Failure` that says why it is none. */
export function readRaw(document: string, url: string): RawFeed {
  const text = document.trimStart();
  if (!text.startsWith('{')) return readXmlFeed(text, url);
  try {
    return readJsonFeed(text);
  } catch (error) {
    throw new Failure('invalid', 'it is not a feed', { cause: error });
  }
}

/** The newest entries, in the feed's order; one without a date is as old as the one before it. */
function newestEntries(entries: readonly RawEntry[]): readonly RawEntry[] {
  if (entries.length <= MAX_ENTRIES) return entries;
  let time = Number.POSITIVE_INFINITY;
  const timed = entries.map((entry, index) => {
    time = dateOf(entry)?.getTime() ?? time;
    return { index, time };
  });
  const newest = timed.toSorted((a, b) => Math.sign(b.time - a.time) || a.index - b.index);
  const read = new Set(newest.slice(0, MAX_ENTRIES).map(({ index }) => index));
  return entries.filter((_, index) => read.has(index));
}

function unreadEntries(all: readonly RawEntry[], read: readonly RawEntry[]): LeftOut[] {
  const known = new Set(read);
  const unread = all.values().filter((entry) => !known.has(entry));
  const reason = `the feed has more than ${MAX_ENTRIES} entries, and this is one of the oldest`;
  return [...unread.take(MOST_NAMED).map(({ titles }) => ({ title: nameOf(titles), reason }))];
}

function nameOf(titles: RawEntry['titles']): string {
  const title = titles.values().map(plainText).find(Boolean) ?? '';
  return cutText(title, MAX_TITLE).trim();
}

function dateOf({ dates }: Pick<RawEntry, 'dates'>, language?: string): Date | undefined {
  return dates
    .values()
    .map((text) => feedDate(text, language))
    .find((date) => date !== undefined);
}

function entryOf(
  { key, titles, texts, links, dates, images, languages, isUntitled }: RawEntry,
  base: string,
  feedLanguages: RawFeed['languages'],
): FeedEntry | LeftOut {
  // A feed may repeat its texts without end, and each is work.
  const words = texts
    .values()
    .map(plainText)
    .map(withoutBoilerplate)
    .filter(Boolean)
    .take(MOST_TEXTS)
    .toArray();
  // RSS 2.0 wants a title or a description; microblogs have no titles.
  const name = nameOf(titles) || firstSentences(words[0] ?? '', 1, MAX_TITLE);
  const [url] = links.flatMap((link) => addressOf(link, base) ?? []);
  if (name === '') return { title: links[0]?.href ?? '', reason: 'it has neither a title nor text' };
  if (url === undefined) return { title: name, reason: 'it has no address' };
  const own = key?.replaceAll('\0', '').toWellFormed().trim() || url.href;
  if (Buffer.byteLength(own) > MAX_KEY_BYTES) return { title: name, reason: 'its id or address is too long' };
  const language = [...languages, ...feedLanguages].map(languageTag).find((tag) => tag !== undefined) ?? null;
  return {
    key: own,
    title: name,
    summary: summaryOf(words.find((part) => part !== name) ?? ''),
    url: webUri(url),
    publishedAt: dateOf({ dates }, language ?? undefined) ?? null,
    image: entryImage(images, base) ?? null,
    language,
    ...(isUntitled && { isUntitled }),
  };
}

/** The address of a page; undefined if it is none. */
function addressOf({ href, base }: RawLink, feedBase: string): URL | undefined {
  const url = URL.parse(href.trim(), base ?? feedBase);
  if (url === null || href.trim() === '' || !/^https?:$/.test(url.protocol)) return undefined;
  // Credentials would only disguise where the link leads.
  url.username = '';
  url.password = '';
  return url;
}

function updateSeconds({ updatePeriod, updateFrequency, ttlMinutes }: RawFeed): number | undefined {
  const period = PERIODS.get(updatePeriod?.trim().toLowerCase() ?? '');
  if (period !== undefined) return Math.round(period / Math.max(1, updateFrequency ?? 1));
  return ttlMinutes !== undefined && ttlMinutes > 0
    ? Math.min(MAX_TTL_SECONDS, Math.round(ttlMinutes * 60))
    : undefined;
}
