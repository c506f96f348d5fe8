import type { Calendar } from './calendar.ts';

/** What a site calls things: the categories and directions that it allows for items, and its days. */
export interface Vocabulary {
  /** `NEWS_CATEGORIES`, or those of `NEWS_PACKS`, in the order of a daily report's sections. */
  categories: readonly string[];
  /** `NEWS_DIRECTIONS`. */
  directions: readonly string[];
  /** How readers see each of them, by its name. */
  labels: Record<'category' | 'direction', ReadonlyMap<string, string>>;
  /** `NEWS_PACKS`, whose lexicon tells stories apart. */
  packs: readonly string[];
  /** `NEWS_REPORT_TIMEZONE` and `NEWS_REPORT_HOUR`: the days of reports, quotas and the archive. */
  calendar: Calendar;
}
