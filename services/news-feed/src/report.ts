/** An item as a report quotes it: in the words of that day, unchanged since. */
export interface Quote {
  itemId: string;
  title: string;
  summary: string | null;
  source: string;
  originalUrl: string;
  /** RFC 3339. */
  publishedAt: string;
}

/** A report as `news.daily`, `news.weekly` and `news.monthly` store it. */
export interface Report {
  lead: { itemId: string; title: string; leadParagraph: string } | null;
  sections: { label: string; items: (Quote & { summary: string })[] }[];
  flashes: Quote[];
}

/**
 * The report without its quotes of items that are no longer in `shown`, and without sections that this
 * empties.
 */
export function withoutWithdrawn({ lead, sections, flashes }: Report, shown: ReadonlySet<string>): Report {
  const isShown = ({ itemId }: { itemId: string }) => shown.has(itemId);
  return {
    lead: lead !== null && isShown(lead) ? lead : null,
    sections: sections
      .map(({ label, items }) => ({ label, items: items.filter(isShown) }))
      .filter(({ items }) => items.length > 0),
    flashes: flashes.filter(isShown),
  };
}
