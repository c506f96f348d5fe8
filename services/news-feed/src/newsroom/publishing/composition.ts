import type { PeriodRules } from '../../period.ts';

/** An item that a report may quote. */
export interface Quotable {
  id: string;
  title: string;
  summary: string | null;
  category: string | null;
  score: number | null;
  /** The time that places it in the report's window. */
  at: Date;
}

/** Which items a report quotes, and where: each at most once, except that the lead is also in its section. */
export interface Composition<Item> {
  /** The item that the report opens with; null if no item has a summary. */
  lead: Item | null;
  sections: { category: string; items: Item[] }[];
  flashes: Item[];
}

/**
 * Composes a report from the selected items of its window. The best item with a summary leads. Items with a
 * summary go into sections by category, in the order of `categories`; the rest are flashes. `size` limits
 * both. The best items have the highest score, then are the newest, then have the smallest id. The order
 * of `items` does not matter.
 */
export function composeReport<Item extends Quotable>(
  items: readonly Item[],
  categories: readonly string[],
  size: Pick<PeriodRules, 'sectionItems' | 'flashes'>,
): Composition<Item> {
  const best = items.toSorted(byMerit);
  const sections = categories
    .map((category) => ({
      category,
      items: best
        .filter((item) => item.category === category && hasSummary(item))
        .slice(0, size.sectionItems),
    }))
    .filter((section) => section.items.length > 0);
  const placed = new Set(sections.flatMap((section) => section.items));
  return {
    lead: best.find(hasSummary) ?? null,
    sections,
    flashes: best.filter((item) => !placed.has(item)).slice(0, size.flashes),
  };
}

function hasSummary({ summary }: Quotable): boolean {
  return summary !== null && summary.trim() !== '';
}

function byMerit(a: Quotable, b: Quotable): number {
  return (
    (b.score ?? -1) - (a.score ?? -1) ||
    b.at.getTime() - a.at.getTime() ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}
