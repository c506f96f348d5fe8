import type { WeighedReport } from './likeness.ts';
import { type Lexicon, spellingsOf } from './terms.ts';

/** The most words that are told of a story. */
const MOST_WORDS = 8;

/**
 * What at least two reports of a story have in common, weightiest first, as the first of their titles that
 * has it spells it. A pure function.
 */
export function sharedWords(
  reports: readonly { title: string; report: WeighedReport }[],
  lexicon: Lexicon,
): string[] {
  const weights = new Map<string, number>();
  const shared = new Map<string, number>();
  for (const { report } of reports)
    for (const [term, { weight }] of report.terms) {
      const before = weights.get(term);
      weights.set(term, (before ?? 0) + weight);
      if (before !== undefined) shared.set(term, before + weight);
    }
  const spelled = reports.flatMap(({ title }) => [...spellingsIn(title, shared, lexicon)]);
  const words: string[] = [];
  for (const { word } of spelled.toSorted((one, other) => other.weight - one.weight)) {
    const small = word.toLowerCase();
    const isKnown = words.some(
      (one) => one.toLowerCase().includes(small) || small.includes(one.toLowerCase()),
    );
    if (!isKnown) words.push(word);
    if (words.length === MOST_WORDS) break;
  }
  return words;
}

/** The terms of a title that are shared; pairs of characters that follow each other are one. */
function* spellingsIn(title: string, shared: ReadonlyMap<string, number>, lexicon: Lexicon) {
  const pairs = new Set<string>();
  for (const [term, word] of spellingsOf(title, lexicon)) {
    const weight = shared.get(term);
    if (weight === undefined) continue;
    if (term === word && /^\P{Script=Latin}{2}$/u.test(word)) pairs.add(word);
    else yield { word, weight };
  }
  let [run, weight] = ['', 0];
  for (let at = 0; at < title.length; at += 1) {
    const pair = title.slice(at, at + 2);
    if (pairs.has(pair)) {
      run = run === '' ? pair : run + pair.charAt(1);
      weight = Math.max(weight, shared.get(pair) ?? 0);
    } else if (run !== '') {
      yield { word: run, weight };
      [run, weight] = ['', 0];
    }
  }
}
