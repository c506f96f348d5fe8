import type { StoredReport } from '../../tables.ts';
import type { WeighedReport, WeighedTerm } from './likeness.ts';
import { KIND_WEIGHTS } from './terms.ts';

/** The kinds, by the place under which they are stored. */
const KINDS = ['name', 'place', 'number', 'concept', 'word', 'characters'] as const;

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
