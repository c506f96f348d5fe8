import { agreementOf } from './agreement.ts';
import type { LabelledReport, LabelledSet } from './labelled-set.ts';

type Vector = ReadonlyMap<string, number>;

const THRESHOLDS = Array.from({ length: 12 }, (_, index) => 0.05 * (index + 2));

/** The threshold with the best F1 on a set: for its other half. */
export function tunedThreshold(set: LabelledSet): number {
  const scored = THRESHOLDS.map((threshold) => ({
    threshold,
    f1: agreementOf(set, singlePass(set.reports, threshold)).scores.F1,
  }));
  return scored.reduce((best, one) => (one.f1 > best.f1 ? one : best)).threshold;
}

/**
 * The plainest way to find stories: a report joins the story whose summed TF-IDF is most like its own, if
 * that reaches the threshold. Word frequencies are those of the whole set, known beforehand.
 */
export function singlePass(reports: readonly LabelledReport[], threshold: number): Map<string, string> {
  const words = reports.map(({ title, summary }) => wordsOf(`${title} ${summary ?? ''}`));
  const uses = new Map<string, number>();
  for (const counts of words) for (const word of counts.keys()) uses.set(word, (uses.get(word) ?? 0) + 1);
  const stories: { id: string; square: number }[] = [];
  /** The weight of each word in each story that has it. */
  const sums = new Map<string, Map<number, number>>();
  const found = new Map<string, string>();
  for (const [index, { id }] of reports.entries()) {
    const vector = weighed(words[index] ?? new Map(), uses, reports.length);
    const products = new Map<number, number>();
    for (const [word, weight] of vector) {
      for (const [place, sum] of sums.get(word) ?? []) {
        products.set(place, (products.get(place) ?? 0) + weight * sum);
      }
    }
    let [best, likeness] = [-1, 0];
    for (const [place, product] of products) {
      const cosine = product / Math.sqrt(stories[place]?.square ?? 1);
      if (cosine > likeness) [best, likeness] = [place, cosine];
    }
    if (likeness < threshold) best = stories.push({ id, square: 0 }) - 1;
    const story = stories[best];
    if (story === undefined) continue;
    story.square += 2 * (products.get(best) ?? 0) + 1;
    for (const [word, weight] of vector) {
      const places = sums.get(word) ?? new Map<number, number>();
      sums.set(word, places.set(best, (places.get(best) ?? 0) + weight));
    }
    found.set(id, story.id);
  }
  return found;
}

/** Words in lower case, and the pairs of Chinese characters. */
function wordsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [run] of text.toLowerCase().matchAll(/\p{Script=Han}+|[\p{L}\p{N}]+/gu)) {
    const isHan = /^\p{Script=Han}/u.test(run);
    for (const word of isHan ? Array.from(run, (_, at) => run.slice(at, at + 2)).slice(0, -1) : [run]) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

/** TF-IDF of length 1. */
function weighed(counts: Vector, uses: Vector, reports: number): Map<string, number> {
  const weights = [...counts].map(([word, count]): [string, number] => [
    word,
    (1 + Math.log(count)) * Math.log(reports / (uses.get(word) ?? 1)),
  ]);
  const norm = Math.hypot(...weights.map(([, weight]) => weight)) || 1;
  return new Map(weights.map(([word, weight]) => [word, weight / norm]));
}
