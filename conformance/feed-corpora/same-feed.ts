import type { FeedEntry, ParsedFeed } from '@pressroom/news-feed/reading/feed';

/** The output of `read.py` about a feed. */
export interface SeenFeed {
  name: string;
  /** The feed's bytes, in base64. */
  body: string;
  title: string | null;
  entries: SeenEntry[];
}

/** An entry as feedparser sees it, in plain text. */
interface SeenEntry {
  id: string | null;
  title: string | null;
  texts: (string | null)[];
  link: string | null;
  /** When it was published, updated and created, as far as it says, in seconds since 1970. */
  dates: number[];
}

/** A title that was cut has at least so many characters, as has the title of a feed. */
const CUT = { entry: 295, feed: 195 };

/** Each member in which two readings of a feed differ, with both values. */
export function differencesOf(theirs: SeenFeed, ours: ParsedFeed | undefined): string[] {
  const expected = usable(theirs.entries);
  if (ours === undefined) return expected.length === 0 ? [] : [`refused, with ${expected.length} entries`];
  const found = isCutOf(ours.title, theirs.title, CUT.feed)
    ? []
    : [difference('title', ours.title, theirs.title)];
  if (ours.entries.length !== expected.length) {
    return [...found, difference('number of entries', ours.entries.length, expected.length)];
  }
  return [...found, ...expected.flatMap((entry, index) => entryDifferences(entry, ours.entries[index]))];
}

/** The entries that can be items: with words and with a page, and each once. */
function usable(entries: readonly SeenEntry[]): SeenEntry[] {
  const found = entries.filter(
    ({ title, texts, link }) =>
      [title, ...texts].some((text) => wordsOf(text) !== '') && /^https?:/i.test(link ?? ''),
  );
  return [
    ...new Map(found.toReversed().map((entry) => [entry.id || entry.link, entry])).values(),
  ].toReversed();
}

function* entryFaults(theirs: SeenEntry, ours: FeedEntry) {
  const texts = theirs.texts.map(wordsOf);
  // An entry without a title is called by its first sentence, and every summary is a beginning.
  const begins = (text: string) => texts.some((whole) => whole.startsWith(wordsOf(text.replace(/…$/, ''))));
  const hasTitle = wordsOf(theirs.title) !== '';
  yield [
    'title',
    ours.title,
    theirs.title,
    hasTitle ? isCutOf(ours.title, theirs.title, CUT.entry) : begins(ours.title),
  ];
  const isSilent = texts.every((text) => text === '' || text === wordsOf(ours.title));
  yield ['summary', ours.summary, theirs.texts, ours.summary === null ? isSilent : begins(ours.summary)];
  yield ['id', ours.key, theirs.id, !theirs.id || ours.key === theirs.id];
  yield ['link', ours.url, theirs.link, URL.parse(theirs.link ?? '')?.href === ours.url];
  const at = ours.publishedAt && Math.floor(ours.publishedAt.getTime() / 1000);
  yield ['date', at, theirs.dates, at === (theirs.dates[0] ?? null)];
}

function entryDifferences(theirs: SeenEntry, ours: FeedEntry | undefined): string[] {
  if (ours === undefined) return [];
  return Array.from(entryFaults(theirs, ours)).flatMap(([what, mine, other, isSame]) =>
    isSame ? [] : [difference(String(what), mine, other)],
  );
}

function isCutOf(ours: string | null, theirs: string | null, cut: number): boolean {
  const whole = wordsOf(theirs);
  return whole === wordsOf(ours) || ((ours?.length ?? 0) >= cut && whole.startsWith(wordsOf(ours)));
}

/** Without white space, which parsers treat differently, and without what readers do not see. */
function wordsOf(text: string | null): string {
  return (text ?? '').normalize().replace(/[\p{C}\s]/gu, '');
}

function difference(what: string, ours: unknown, theirs: unknown): string {
  return `${what}: ${JSON.stringify(ours)}, feedparser: ${JSON.stringify(theirs)}`.slice(0, 600);
}
