import type { Feed, FeedEntry } from '@pressroom/common/feeds/feed';
import type { Period } from '../../period.ts';
import { dateIn, wordsIn } from '../../words.ts';
import type { StoredReport } from '../reports/store.ts';
import type { Site } from '../site.ts';
import { reportHtml } from './report-html.ts';

/** How many reports a feed has. */
export const FEED_REPORTS = 14;

/** The members of a feed that its reports determine. */
export function reportFeed(
  reports: readonly StoredReport[],
  period: Period,
  site: Site,
): Pick<Feed, 'title' | 'description' | 'entries'> {
  const words = wordsIn(site.language);
  const entries = reports.map((stored) => entryOf(stored, period, site));
  return {
    title: `${site.attribution.name}: ${words.report[period]}`,
    description: words.wholeText(words.report[period]),
    entries,
  };
}

function entryOf(
  { date, generated_at, corrected_at, report }: StoredReport,
  period: Period,
  site: Site,
): FeedEntry {
  const words = wordsIn(site.language);
  const heading = words.reportOf(words.report[period], dateIn(site.language, date));
  const url = site.report(period, date);
  return {
    id: url,
    title: report.lead === null ? heading : `${heading}: ${report.lead.title}`,
    url,
    summary: report.lead?.leadParagraph ?? null,
    html: reportHtml(report, words),
    published: generated_at,
    updated: corrected_at ?? generated_at,
    authors: [{ name: site.attribution.name }],
    categories: [],
  };
}
