import type { Feed, FeedEntry } from '@pressroom/common/feeds/feed';
import type { Period } from '../../period.ts';
import type { StoredReport } from '../reports/store.ts';
import type { Site } from '../site.ts';
import { reportHtml } from './report-html.ts';

/** How many reports a feed has. */
export const FEED_REPORTS = 14;

/** The name of a period's reports. */
const NAMES: Record<Period, string> = { daily: 'Daily', weekly: 'Weekly', monthly: 'Monthly' };

/** The members of a feed that its reports determine. */
export function reportFeed(
  reports: readonly StoredReport[],
  period: Period,
  site: Site,
): Pick<Feed, 'title' | 'description' | 'entries'> {
  const entries = reports.map((stored) => entryOf(stored, period, site));
  return {
    title: `${site.attribution.name}: ${NAMES[period]} report`,
    description: `The ${period} reports, with their whole text.`,
    entries,
  };
}

function entryOf({ date, generated_at, report }: StoredReport, period: Period, site: Site): FeedEntry {
  const heading = `${NAMES[period]} report of ${date}`;
  const url = site.report(period, date);
  return {
    id: url,
    title: report.lead === null ? heading : `${heading}: ${report.lead.title}`,
    url,
    summary: report.lead?.leadParagraph ?? null,
    html: reportHtml(report),
    published: generated_at,
    updated: generated_at,
    authors: [{ name: site.attribution.name }],
    categories: [],
  };
}
