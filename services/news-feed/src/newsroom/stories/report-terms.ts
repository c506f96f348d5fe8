import type { WeighedReport, WeighedTerm } from './likeness.ts';
import { KIND_WEIGHTS } from './terms.ts';

const KINDS = ['name', 'place', 'number', 'concept', 'word', 'characters'] as const;

/** `news.report_terms.report`: terms in short, as there is one for each item. */
export interface StoredReport {
  /** The place of its kind in the list above, and its weight, by term. */
  terms: Record<string, [kind: number, weight: number]>;
  marks: Record<string, string[]>;
  chinese: boolean;
  /** `WeighedReport.stored`; absent in what was stored before it was counted. */
  stored?: number;
}

/** A report as it is stored. */
export function storedReport({
  terms,
  marks,
  isChinese,
  stored,
}: Omit<WeighedReport, 'publishedAt'>): StoredReport {
  const short = [...terms].map(([term, { kind, weight }]): [string, [number, number]] => [
    term,
    [KINDS.indexOf(kind), Number(weight.toFixed(3))],
  ]);
  return { terms: Object.fromEntries(short), marks, chinese: isChinese, stored };
}

/** A stored report as it is compared. */
export function weighedReport(
  { terms, marks, chinese, stored = 0 }: StoredReport,
  publishedAt: Date,
): WeighedReport {
  const long = Object.entries(terms).map(([term, [place, weight]]): [string, WeighedTerm] => {
    const kind = KINDS[place] ?? 'word';
    // At least that rare: terms of a summary alone, and generic words, weigh less.
    return [term, { kind, weight, rarity: Math.min(1, weight / KIND_WEIGHTS[kind]) }];
  });
  return { terms: new Map(long), marks, isChinese: chinese, publishedAt, stored };
}
