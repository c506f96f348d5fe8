/** The maximum number of items in a section; the others are flashes. */
const SECTION_ITEMS = 8;

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

/** Which items a report quotes, and where: each exactly once, except that the lead is also in its section. */
export interface Composition<Item> {
  /** The item that the report opens with; null if no item has a summary. */
  lead: Item | null;
  sections: { category: string; items: Item[] }[];
  flashes: Item[];
}

/**
 * Composes the report of a day from its selected items. The best item with a summary leads. Items with a
 * summary go into sections by category, in the order of `categories`, at most 8 in each; the rest are
 * flashes. The best items have the highest score, then are the newest, then have the smallest id. The order
 * of `items` does not matter.
 */
export function composeDaily<Item extends Quotable>(
  items: readonly Item[],
  categories: readonly string[],
): Composition<Item> {
  const best = items.toSorted(byMerit);
  const sections = categories
    .map((category) => ({
      category,
      items: best.filter((item) => item.category === category && hasSummary(item)).slice(0, SECTION_ITEMS),
    }))
    .filter((section) => section.items.length > 0);
  const placed = new Set(sections.flatMap((section) => section.items));
  return {
    lead: best.find(hasSummary) ?? null,
    sections,
    flashes: best.filter((item) => !placed.has(item)),
  };
}

/** The heading of a category's section: `policy-standard` is headed `Policy standard`. */
export function sectionLabel(category: string): string {
  const words = category.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
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
