import { languageOfText, wordsIn } from '../../words.ts';
import { type Fact, factsOf } from './facts.ts';
import type { Lexicon } from './lexicon.ts';

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
 * no earlier report did, and where its numbers or names contradict them. Null for fewer than two reports.
 */
export function digestOf(reports: readonly DigestReport[], lexicon: Lexicon): string | null {
  const [latest, ...earlier] = reports;
  const [previous] = earlier;
  if (latest === undefined || previous === undefined) return null;
  const words = wordsIn(languageOfText(latest.title, latest.language));
  const facts = factsOf(textOf(latest), lexicon);
  const known = earlier.map((report) => ({ report, facts: factsOf(textOf(report), lexicon) }));
  const contradictions = facts.flatMap((fact, index) => {
    // A title and its summary say the same twice.
    if (facts.findIndex(({ about, value }) => about === fact.about && value === fact.value) < index)
      return [];
    const contradicted = contradictionOf(fact, facts, latest.source, known);
    return contradicted === undefined ? [] : [{ fact, ...contradicted }];
  });
  const isKnown = new Set(known.flatMap(({ facts: theirs }) => theirs.map(({ value }) => value)));
  const added = facts.filter(
    (fact) => !isKnown.has(fact.value) && !contradictions.some(({ fact: { value } }) => value === fact.value),
  );
  const parts = [leadOf(latest)];
  if (added.length > 0) {
    const named = [...new Set(added.map(({ quote }) => quote))].slice(0, MOST_NAMED);
    parts.push(words.newSince(previous.source, named.join(words.comma)));
  }
  for (const { fact, other, source } of contradictions.slice(0, MOST_NAMED)) {
    parts.push(words.differ(fact.quote, latest.source, other.quote, source));
  }
  return parts.join('\n\n');
}

/**
 * The newest earlier fact about the same thing with another value, if no report gives both values and no
 * other source has confirmed the new one; that `source` says it again confirms nothing.
 */
function contradictionOf(
  fact: Fact,
  facts: readonly Fact[],
  source: string,
  known: readonly { report: DigestReport; facts: readonly Fact[] }[],
): { other: Fact; source: string } | undefined {
  for (const { report, facts: theirs } of known) {
    const same = theirs.filter(({ about }) => about === fact.about);
    if (same.some(({ value }) => value === fact.value)) {
      if (report.source === source) continue;
      return undefined;
    }
    const [other] = same;
    if (other !== undefined && !facts.some(({ value }) => value === other.value)) {
      return { other, source: report.source };
    }
  }
  return undefined;
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
