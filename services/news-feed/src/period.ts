import type { NewsTables } from './tables.ts';

/** How often a kind of report is published. */
export type Period = 'daily' | 'weekly' | 'monthly';

/** All periods, the shortest first. */
export const PERIODS = ['daily', 'weekly', 'monthly'] as const satisfies Period[];

/** Everything that differs between the reports of different periods. */
export interface PeriodRules {
  /** The last segment of the path of its index. */
  collection: 'dailies' | 'weeklies' | 'monthlies';
  table: keyof NewsTables & `news.${Period}`;
  /** The maximum number of items in a section. */
  sectionItems: number;
  /** The maximum number of flashes. */
  flashes: number;
}

/**
 * The rules of each period. A daily report quotes every selected item of its day, and what came too late for
 * the day before; the longer ones are a choice of the best.
 */
export const PERIOD_RULES: Readonly<Record<Period, PeriodRules>> = {
  daily: { collection: 'dailies', table: 'news.daily', sectionItems: 8, flashes: Number.POSITIVE_INFINITY },
  weekly: { collection: 'weeklies', table: 'news.weekly', sectionItems: 12, flashes: 40 },
  monthly: { collection: 'monthlies', table: 'news.monthly', sectionItems: 20, flashes: 60 },
};
