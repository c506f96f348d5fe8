import { PreparedQuery } from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { type ReportText, STOP_WORDS } from './terms.ts';

/** A text with the name of its source. */
export interface SourceText extends ReportText {
  sourceName: string;
}

/** How many reports of a source tell what its reports share. */
const COMPARED = 20;

/** How much two titles have in common, as a share of the shorter one, that may be on one event. */
const ALIKE = 0.25;

/** What stands between a title and the name of a site or section. */
const SEPARATOR =
  /\s*[|｜»]\s*|\s+(?:[-–—~/·•]|::)\s+|(?<=\p{Script=Han})[-–—_](?=\p{L})|(?<=\p{L})[-–—_](?=\p{Script=Han})/u;

const SENTENCE_END = /(?<=[.!?…]["”’»]?)\s+|(?<=[。！？])|\n+/u;

const LATELY = new PreparedQuery<NewsTables, { sources: string[] }, SourceText>((db, value) => ({
  compile: () =>
    sql<SourceText>`
      select wanted.source as "sourceName", item.title, item.original_title as "originalTitle", item.summary
      from unnest(${value('sources')}::text[]) as wanted (source)
      cross join lateral (
        select title, original_title, summary from news.item
        where source_name = wanted.source and withdrawn_at is null
        order by published_at desc, id desc limit ${sql.lit(COMPARED)}
      ) as item
    `.compile(db),
}));

/**
 * The texts without what the reports of their source share, whatever they are on: its name in titles, and
 * sentences that it puts into every summary.
 */
export async function withoutSharedParts<Text extends SourceText>(
  db: Kysely<NewsTables>,
  texts: readonly Text[],
): Promise<Text[]> {
  const sources = [...new Set(texts.map(({ sourceName }) => sourceName))];
  const stored = await LATELY.execute(db, { sources });
  const known = Map.groupBy([...stored, ...texts], ({ sourceName }) => sourceName);
  const read = new Map([...known].map(([source, all]) => [source, all.map(partsOf)]));
  return texts.map((text) => ({ ...text, ...without(text, read.get(text.sourceName) ?? []) }));
}

/** A report in the parts that others of its source may share. */
interface Parts {
  title: string[];
  sentences: string[];
}

function partsOf({ title, originalTitle, summary }: ReportText): Parts {
  return { title: titleParts(originalTitle ?? title), sentences: summary?.split(SENTENCE_END) ?? [] };
}

function titleParts(title: string): string[] {
  return title.split(SEPARATOR).filter((part) => part !== '');
}

/** A title without the name of its source at either end. */
export function withoutName(title: string, source: string): string {
  return kept(title, titleParts(title), (part) => nameOf(part) === nameOf(source));
}

function nameOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\d]|\.[a-z]{2,4}$/gu, '');
}

function without(
  { title, originalTitle, summary, sourceName }: SourceText,
  all: readonly Parts[],
): ReportText {
  const own = partsOf({ title, originalTitle, summary });
  const isShared = (part: string, among: keyof Parts) =>
    all.some((other) => other[among].includes(part) && !areAlike(rest(own, part), rest(other, part)));
  const shorten = (whole: string) =>
    kept(whole, titleParts(whole), (part) => nameOf(part) === nameOf(sourceName) || isShared(part, 'title'));
  return {
    title: shorten(title),
    originalTitle: originalTitle && shorten(originalTitle),
    summary: summary && own.sentences.filter((sentence) => !isShared(sentence, 'sentences')).join(' '),
  };
}

/** A title without the parts that are not its own, unless none is. */
function kept(whole: string, parts: readonly string[], isForeign: (part: string) => boolean): string {
  const own = parts.filter((part) => !isForeign(part));
  return own.length === 0 || own.length === parts.length ? whole : own.join(' – ');
}

function rest({ title }: Parts, part: string): Set<string> {
  const words = title.filter((one) => one !== part).flatMap((one) => one.toLowerCase().match(WORD) ?? []);
  return new Set(words.filter((word) => !STOP_WORDS.has(word)));
}

/** A word, or two characters of a script without spaces. */
const WORD = /(?=(?<pair>\p{Script=Han}{2}))\p{Script=Han}|[[\p{L}\p{M}\d]--\p{Script=Han}]{2,}/gv;

function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const common = a.intersection(b).size;
  return common > 0 && common >= ALIKE * Math.min(a.size, b.size);
}
