import { languageOfText, wordsIn } from '../../words.ts';
import { newIn } from './facts.ts';
import type { Lexicon } from './lexicon.ts';
import { type Marks, marksConflict, marksOf } from './marks.ts';
import { areOne, namesIn, type Toll, tollsOf } from './tolls.ts';

/** A report that a digest is made from. */
export interface DigestReport {
  title: string;
  summary: string | null;
  source: string;
  publishedAt: Date;
  /** The language of its title and summary (BCP 47); null if that is not known. */
  language: string | null;
}

/** How many sentences of the latest report lead. */
const LEAD_SENTENCES = 2;

/** How many new and how many contradicting facts are named. */
const MOST_NAMED = 5;

/**
 * The digest of a story by rules, from its reports, newest first: the lead of the latest, what it says that
 * no earlier report did, and where its counts contradict theirs. Null for fewer than two reports.
 */
export function digestOf(reports: readonly DigestReport[], lexicon: Lexicon): string | null {
  const [latest, ...earlier] = reports;
  const [previous] = earlier;
  if (latest === undefined || previous === undefined) return null;
  const words = wordsIn(languageOfText(latest.title, latest.language));
  const contradictions = contradictionsOf(latest, earlier, lexicon);
  const told = contradictions.map(({ now }) => now.quote).join('\n');
  const added = newIn(textOf(latest), earlier.map(textOf).join('\n')).filter(
    (quote) => !told.includes(quote),
  );
  const parts = [leadOf(latest)];
  if (added.length > 0) {
    parts.push(words.newSince(previous.source, added.slice(0, MOST_NAMED).join(words.comma)));
  }
  for (const { now, then, source } of contradictions.slice(0, MOST_NAMED)) {
    parts.push(words.differ(now.quote, latest.source, then.quote, source));
  }
  return parts.join('\n\n');
}

/**
 * The counts of the latest report that those of the newest earlier one exclude, unless another source has
 * confirmed the new one by then; that the same source says it again confirms nothing.
 */
function contradictionsOf(
  latest: DigestReport,
  earlier: readonly DigestReport[],
  lexicon: Lexicon,
): { now: Toll; then: Toll; source: string }[] {
  const known = earlier.map((report) => ({ report, tolls: tollsOf(report, lexicon) }));
  const counts = Map.groupBy(tollsOf(latest, lexicon), ({ of }) => of);
  const marks = marksIn(latest, lexicon);
  return [...counts.values()].flatMap(([now]) => {
    if (now === undefined) return [];
    for (const { report, tolls } of known) {
      const then = tolls.find(({ of }) => of === now.of);
      if (then === undefined) continue;
      if (areOne(now, then)) {
        if (report.source === latest.source) continue;
        return [];
      }
      if (!areOfOneThing(now, then) || marksConflict(marks, marksIn(report, lexicon))) return [];
      const isOfOnePlace = isAt(now, then, report, lexicon) && isAt(then, now, latest, lexicon);
      return isOfOnePlace ? [{ now, then, source: report.source }] : [];
    }
    return [];
  });
}

/** How many times as many the count of a whole event is, at most, as one that is taken for it. */
const MOST_TIMES = 2;

/** Whether two counts can be of one event, by the days and the sides of a country that they are for. */
function areOfOneThing(a: Toll, b: Toll): boolean {
  if (a.isSum !== b.isSum || (a.isSum && a.places.toSorted().join() !== b.places.toSorted().join()))
    return false;
  const pairs = [
    [a.days, b.days],
    [a.sides, b.sides],
  ];
  return pairs.every(([mine = [], theirs = []]) => theirs.length === 0 || isAmong(mine, theirs));
}

/**
 * Whether the places of a count are those of another report: it names one, or has no place for a count that
 * is not much larger or smaller.
 */
function isAt(toll: Toll, other: Toll, report: DigestReport, lexicon: Lexicon): boolean {
  if (isAmong(toll.places, namesIn(textOf(report), lexicon))) return true;
  const [fewer = 0, more = 0] = [toll.least, other.least].sort((a, b) => a - b);
  return other.places.length === 0 && more <= MOST_TIMES * fewer;
}

/** Whether one of these is among others, if there are any. */
function isAmong(some: readonly string[], others: readonly string[]): boolean {
  return some.length === 0 || some.some((one) => others.includes(one));
}

function marksIn({ title, summary }: DigestReport, lexicon: Lexicon): Marks {
  return marksOf(title, summary ?? '', lexicon);
}

function textOf({ title, summary }: DigestReport): string {
  return summary === null ? title : `${title}. ${summary}`;
}

function leadOf({ title, summary, language: known }: DigestReport): string {
  if (summary === null) return title;
  const language = languageOfText(summary, known) ?? 'en';
  const sentences = new Intl.Segmenter(language, { granularity: 'sentence' }).segment(summary);
  return [...sentences]
    .slice(0, LEAD_SENTENCES)
    .map(({ segment }) => segment)
    .join('')
    .trim();
}
