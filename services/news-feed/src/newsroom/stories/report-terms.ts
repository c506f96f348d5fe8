import type { StoredReport } from '../../tables.ts';
import type { WeighedReport, WeighedTerm } from './likeness.ts';
import { storedTitle, titleVector } from './title-vector.ts';

/** The kinds, by the place under which they are stored. */
const KINDS = ['name', 'place', 'number', 'concept', 'word', 'characters'] as const;

/** A report as it is stored. */
export function storedReport({
  terms,
  marks,
  isChinese,
  isAlone,
  title,
}: Omit<WeighedReport, 'publishedAt'>): StoredReport {
  const short = [...terms].map(([term, { kind, weight }]): [string, [number, number]] => [
    term,
    [KINDS.indexOf(kind), Number(weight.toFixed(3))],
  ]);
  return {
    terms: Object.fromEntries(short),
    marks,
    chinese: isChinese,
    ...(isAlone && { alone: true }),
    ...(title && { title: storedTitle(title) }),
  };
}

/** A stored report as it is compared. */
export function weighedReport(
  { terms, marks, chinese, alone = false, title }: StoredReport,
  publishedAt: Date,
): WeighedReport {
  const long = Object.entries(terms).map(([term, [place, weight]]): [string, WeighedTerm] => [
    term,
    { kind: KINDS[place] ?? 'word', weight },
  ]);
  return {
    ...{ terms: new Map(long), marks, isChinese: chinese, isAlone: alone, publishedAt },
    ...(title && { title: titleVector(title) }),
  };
}
