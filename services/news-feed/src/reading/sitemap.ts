import { hash } from 'node:crypto';
import { parseHTML } from 'linkedom';
import { feedDate } from './dates.ts';
import type { RawEntry } from './feed.ts';
import { MAX_ENTRIES } from './parse-feed.ts';

/** State kept between reads of a sitemap. */
export interface SitemapMemory {
  /** The time of its last read; null if it never was read. */
  since: Date | null;
  /** The addresses that it has listed, as numbers of 64 bits each. */
  known: Uint8Array;
}

/** The most addresses remembered of a source, those listed last: twice what one sitemap may have. */
const MOST_KNOWN = 100_000;

/** The most sitemaps of an index that are read at once. */
const MOST_SITEMAPS = 5;

/** A date without its time may lie as long before the change. */
const DAY_MS = 86_400_000;

/** Sitemaps that list no articles, by their names. */
const NO_ARTICLES =
  /(?:^|[-_.])(?:post_tag|tags?|categor(?:y|ies)|taxonom(?:y|ies)|authors?|users?)(?=[-_.]|$)/i;

/**
 * Of what a sitemap lists, the news: what has a title, and what it did not list before and has not changed
 * since. Of the first read, which may list the articles of ten years, it is the former alone. With what to
 * remember.
 */
export function newInSitemap(
  listed: readonly RawEntry[],
  { since, known }: SitemapMemory,
): { entries: RawEntry[]; known: Uint8Array } {
  const news = listed.filter(({ titles }) => titles.length > 0);
  const numbered = new Map<bigint, RawEntry>();
  for (const entry of listed) if (entry.titles.length === 0) numbered.set(numberOf(entry.key ?? ''), entry);
  const before = [...numbersIn(known)];
  const unknown = new Map(numbered);
  for (const number of before) unknown.delete(number);
  const isNew = ({ dates }: RawEntry) => {
    const changed = dates.map((date) => feedDate(date)).find((date) => date !== undefined);
    return since !== null && (changed === undefined || changed.getTime() > since.getTime() - DAY_MS);
  };
  const fresh = newestFirst([...unknown].filter(([, entry]) => isNew(entry)));
  // Entries that do not fit are forgotten, and are new at the next read.
  for (const [number] of fresh.slice(MAX_ENTRIES)) numbered.delete(number);
  const gone = before.filter((number) => !numbered.has(number));
  const kept = new BigUint64Array([...gone, ...numbered.keys()].slice(-MOST_KNOWN));
  return {
    // News that do not fit are read again.
    entries: [...fresh.slice(0, MAX_ENTRIES).map(([, entry]) => named(entry)), ...news],
    known: new Uint8Array(kept.buffer),
  };
}

/** Selects the sitemaps of an index to read, and says if it dates each, and how many it has. */
export function newestSitemaps(
  sitemaps: readonly RawEntry[],
  since: Date | null,
): { urls: string[]; isDated: boolean; listed: number } {
  const articles = sitemaps.filter(({ key = '' }) => !NO_ARTICLES.test(key.slice(key.lastIndexOf('/') + 1)));
  const dated = (articles.length > 0 ? articles : sitemaps).map(
    (sitemap) => [sitemap.key ?? '', sitemap] as const,
  );
  // Without dates, the latest month or the highest number.
  const sorted = newestFirst(dated.toSorted(([a], [b]) => BY_NUMBER.compare(b, a)));
  const isOld = ({ dates: [date = ''] }: RawEntry) =>
    since !== null && (feedDate(date)?.getTime() ?? Number.POSITIVE_INFINITY) < since.getTime() - DAY_MS;
  return {
    urls: sorted
      .filter(([, sitemap]) => !isOld(sitemap))
      .slice(0, MOST_SITEMAPS)
      .map(([url]) => url),
    listed: sitemaps.length,
    isDated: dated.every(
      ([
        ,
        {
          dates: [date = ''],
        },
      ]) => feedDate(date) !== undefined,
    ),
  };
}

const BY_NUMBER = new Intl.Collator('en', { numeric: true });

function newestFirst<Key>(entries: readonly (readonly [Key, RawEntry])[]): (readonly [Key, RawEntry])[] {
  const timeOf = ({ dates: [date = ''] }: RawEntry) => feedDate(date)?.getTime() ?? 0;
  const timed = entries.map((entry) => [timeOf(entry[1]), entry] as const);
  return timed.toSorted(([a], [b]) => b - a).map(([, entry]) => entry);
}

/** With the words of its address for a title, until its page says it. */
function named(entry: RawEntry): RawEntry {
  return { ...entry, titles: [{ value: wordsIn(entry.key ?? ''), markup: 'none' }], isUntitled: true };
}

/** `/2026/the-lantern-is-lit.html` is `the lantern is lit`. */
function wordsIn(address: string): string {
  const path = address.replace(/[?#].*$/s, '').replace(/(?<!\/)\/+$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w{1,5}$/, '');
  try {
    return decodeURIComponent(name).replace(/[-_+]+/g, ' ');
  } catch {
    return name;
  }
}

function numberOf(address: string): bigint {
  return hash('sha256', address, 'buffer').readBigUInt64LE();
}

function numbersIn(bytes: Uint8Array): BigUint64Array {
  return new BigUint64Array(Uint8Array.from(bytes).buffer);
}

/** The media types by which a page names its feeds. */
const TYPES = ['application/atom+xml', 'application/rss+xml', 'application/feed+json', 'application/rdf+xml'];

/** The most characters and elements of a page that are searched: what is nested deeper takes minutes. */
const MAX_CHARACTERS = 2_000_000;
const MAX_ELEMENTS = 5000;

/** The feeds that a page names (`link rel=alternate`) at its beginning, absolute, in the page's order. */
export function discoverFeeds(html: string, url: string): string[] {
  const { document } = parseHTML(beginningOf(html.slice(0, MAX_CHARACTERS)));
  const bases = [...document.querySelectorAll('base')].map((base) => attributeOf(base, 'href'));
  const base = bases.find((href) => href !== '') ?? '';
  const root = URL.canParse(base, url) ? new URL(base, url).href : url;
  const links = [...document.querySelectorAll('link')].flatMap((link) => {
    const words = (name: string) =>
      attributeOf(link, name)
        .toLowerCase()
        .split(/[\s;]+/);
    const href = attributeOf(link, 'href');
    const isFeed = words('rel').includes('alternate') && words('type').some((type) => TYPES.includes(type));
    return isFeed && href !== '' && URL.canParse(href, root) ? [new URL(href, root).href] : [];
  });
  return [...new Set(links)];
}

/** The library keeps the case of names, which HTML does not distinguish; empty if there is none. */
function attributeOf({ attributes }: Element, name: string): string {
  return [...attributes].find((attribute) => attribute.name.toLowerCase() === name)?.value ?? '';
}

function beginningOf(html: string): string {
  const next = html
    .matchAll(/<[a-z]/gi)
    .drop(MAX_ELEMENTS)
    .next().value;
  return next === undefined ? html : html.slice(0, next.index);
}
