import type { WeighedReport, WeighedTerm } from './likeness.ts';

const KINDS = ['name', 'place', 'number', 'concept', 'word', 'characters'] as const;

/** `news.report_terms.report`: terms in short, as there is one for each item. */
export interface StoredReport {
  /** The place of its kind in the list above, and its weight, by term. */
  terms: Record<string, [kind: number, weight: number]>;
  marks: Record<string, string[]>;
  chinese: boolean;
}

/** A report as it is stored. */
export function storedReport({ terms, marks, isChinese }: Omit<WeighedReport, 'publishedAt'>): StoredReport {
  const short = [...terms].map(([term, { kind, weight }]): [string, [number, number]] => [
    term,
    [KINDS.indexOf(kind), Number(weight.toFixed(3))],
  ]);
  return { terms: Object.fromEntries(short), marks, chinese: isChinese };
}

/** A stored report as it is compared. */
export function weighedReport({ terms, marks, chinese }: StoredReport, publishedAt: Date): WeighedReport {
  const long = Object.entries(terms).map(([term, [kind, weight]]): [string, WeighedTerm] => [
    term,
    { kind: KINDS[kind] ?? 'word', weight },
  ]);
  return { terms: new Map(long), marks, isChinese: chinese, publishedAt };
}
