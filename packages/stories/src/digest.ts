import { areOfOneEvent, areOne, type PeopleCount, peopleCountsOf, textOf } from './people-counts.ts';
import {
  englishNumber,
  type Lexicon,
  MAGNITUDE_PATTERN,
  type Marks,
  marksConflict,
  marksOf,
  numberOf,
  STOP_WORDS,
} from './terms.ts';
import { languageOfText, wordsIn } from './words.ts';

/** A report that a digest is made from. */
export interface DigestReport {
  title: string;
  summary: string | null;
  source: string;
  publishedAt: Date;
  /** The language of its title and summary (BCP 47); null if that is not known. */
  language: string | null;
}

/** Sentences taken from the latest report, at the top of the digest. */
const LEAD_SENTENCES = 2;

/** Limit of each list: new facts, contradicting facts. */
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
  for (const { now, then, report } of contradictions.slice(0, MOST_NAMED)) {
    parts.push(words.differ(now.quote, latest.source, then.quote, report.source));
  }
  return parts.join('\n\n');
}

/**
 * The counts of the latest report that those of the newest earlier one exclude, unless another source has
 * confirmed the new one by then; that the same source says it again confirms nothing.
 */
export function contradictionsOf(
  latest: DigestReport,
  earlier: readonly DigestReport[],
  lexicon: Lexicon,
): { now: PeopleCount; then: PeopleCount; report: DigestReport }[] {
  const known = earlier.map((report) => ({ report, peopleCounts: peopleCountsOf(report, lexicon) }));
  const counts = Map.groupBy(peopleCountsOf(latest, lexicon), ({ of }) => of);
  const marks = marksIn(latest, lexicon);
  return [...counts.values()].flatMap(([now]) => {
    if (now === undefined) return [];
    for (const { report, peopleCounts } of known) {
      const then = peopleCounts.find(({ of }) => of === now.of);
      if (then === undefined) continue;
      if (areOne(now, then)) {
        if (report.source === latest.source) continue;
        return [];
      }
      if (marksConflict(marks, marksIn(report, lexicon))) return [];
      return areOfOneEvent({ count: now, report: latest }, { count: then, report }, lexicon)
        ? [{ now, then, report }]
        : [];
    }
    return [];
  });
}

function marksIn({ title, summary }: DigestReport, lexicon: Lexicon): Marks {
  return marksOf(title, summary ?? '', lexicon);
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

/** Short words of other languages that no number counts. */
const LINKS = new Set(
  'de des du der die das den dem dos das del los las les por para par pour con com und von mit sur dans que qui est của được cho và nữa trước sau'.split(
    ' ',
  ),
);

/** Spans of time, dates, and what counts nothing. */
const TIME =
  /^(?:(?:year|month|week|day|hour|minute|second|time|other)s?|am|pm|percent|per|st|nd|rd|th|(?:jan|febr?|mar|apr|may|june?|july?|aug|sept|oct|nov|dec)\p{L}*|ngày|năm|tuần|tháng|giờ)(?!\p{L})/iu;

const WORDS_FOR_NUMBERS =
  'two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty';
const DIGITS = String.raw`\d+(?:,\d{3})*(?:\.\d+)?`;

/** Not behind a letter, a digit, a sign, or a name that has it: “Street 82”, “Sep 19”. */
const SPACED_NUMBER = new RegExp(
  String.raw`(?<!(?:[\p{L}\d.,:/–-]|(?<![.!?]\s*)(?<!^)\b\p{Lu}\p{L}*\.? |\d[ ,:/-]+))(?<sign>[$€£¥])?(?<digits>${DIGITS}|(?<!\p{L})(?:${WORDS_FOR_NUMBERS})(?!\p{L}))(?<magnitude>${MAGNITUDE_PATTERN})?(?![\p{L}\d%]|[.,:/–-]\d)(?<next>(?:[ -]\p{Script=Latin}[\p{L}’'-]*){0,2})`,
  'gu',
);

const HAN_NUMBER = new RegExp(
  String.raw`(?<digits>${DIGITS})(?<magnitude>${MAGNITUDE_PATTERN})?\s?(?<measure>美元|欧元|日元|元|公里|级|人|[名家辆位个])(?<after>\p{Script=Han}{0,8})`,
  'gu',
);

/** Holders of a post: “chief executive Mara Ellison”, 首席执行官 Mara Ellison. */
const POST =
  /(?:(?<!\p{L})(?:[Cc]hief [Ee]xecutive|CEO|[Pp]resident|[Pp]rime [Mm]inister|[Mm]inister|[Cc]hair(?:man|woman)|[Ff]ounder|[Dd]irector) |(?:首席执行官|总裁|董事长|总理|总统|部长|创始人)\s?)(?<name>\p{Lu}\p{L}+ \p{Lu}\p{L}+)(?! \p{Lu}|\p{L})/gu;

const SEGMENTER = new Intl.Segmenter('zh', { granularity: 'word' });

/** The facts that a text adds to `known`: numbers with their nouns, amounts, and holders of posts. */
function newIn(text: string, known: string): string[] {
  const numbers = new Set([...countsIn(known), ...hanCountsIn(known)].map(({ value }) => value));
  const counts = [...countsIn(text), ...hanCountsIn(text)].flatMap(({ value, quote }) =>
    quote === undefined || numbers.has(value) ? [] : [quote],
  );
  const posts = Array.from(text.matchAll(POST), ({ 0: quote, groups }) => ({
    quote,
    name: groups?.name ?? '',
  }));
  const named = posts.filter(({ name }) => !known.includes(name.split(' ').at(-1) ?? name));
  return [...new Set([...counts, ...named.map(({ quote }) => quote)])];
}

/** A number; `quote` is undefined if the text does not say what it counts. */
interface Count {
  value: number;
  quote: string | undefined;
}

function countsIn(text: string): Count[] {
  return Array.from(text.matchAll(SPACED_NUMBER), ({ groups = {} }) => {
    const { sign = '', digits = '', magnitude = '', next = '' } = groups;
    const value = englishNumber(digits.toLowerCase()) ?? numberOf(digits, magnitude);
    const number = `${sign}${digits}${magnitude}`;
    if (sign !== '') return { value, quote: number };
    if (/^(?:19|20)\d\d$/u.test(digits)) return { value, quote: undefined };
    const what = countedBy(next);
    return { value, quote: what === '' ? undefined : number + what };
  });
}

/** The words that are counted, of those behind a number. */
function countedBy(next: string): string {
  const words = next.match(/[ -]\p{L}[\p{L}’'-]*/gu) ?? [];
  const end = words.findIndex((word) => isLink(word.slice(1).toLowerCase()));
  const counted = words.slice(0, end < 0 ? undefined : end).join('');
  return TIME.test(counted.slice(1)) ? '' : counted;
}

function isLink(word: string): boolean {
  return word.length < 3 || STOP_WORDS.has(word) || LINKS.has(word);
}

function hanCountsIn(text: string): Count[] {
  return Array.from(text.matchAll(HAN_NUMBER), ({ groups = {} }) => {
    const { digits = '', magnitude = '', measure = '', after = '' } = groups;
    const value = numberOf(digits, magnitude);
    const number = `${digits}${magnitude}${measure}`;
    if (!/^[人名家辆位个]$/u.test(measure)) return { value, quote: number };
    const [next] = SEGMENTER.segment(after);
    const what = next !== undefined && next.segment.length > 1 ? next.segment : '';
    return { value, quote: what === '' ? undefined : number + what };
  });
}
