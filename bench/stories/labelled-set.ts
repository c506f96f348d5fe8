import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AssignableItem } from '@pressroom/news-feed/grouping/story-assigner';

export interface LabelledReport extends AssignableItem {
  /** The event that it is on; a report on its own is an event of its own. */
  event: string;
  set: string;
  /** The reports with which a pair was labelled, in a set of pairs. */
  judgedWith?: ReadonlySet<string>;
}

/** A set of which one half is never looked at while the score is tuned. */
export interface LabelledSet {
  name: string;
  /** Describes the set for a reader of the figures. */
  about: string;
  half: 'tuning' | 'unread';
  /** In time order. */
  reports: LabelledReport[];
}

const LINE = /^(?<alone>- )?(?<day>\d+)\.(?<hour>\d+) (?<title>.+?) \| (?<summary>.+)$/u;

/** One half of the set of this repository; each report of an event is from another source. */
export function readLabelledSet(half: LabelledSet['half']): LabelledSet {
  const text = readFileSync(fileURLToPath(new URL(`${half}.txt`, import.meta.url)), 'utf8');
  const reports: LabelledReport[] = [];
  let event = '';
  for (const [number, line] of text.split('\n').entries()) {
    if (line.startsWith('= ')) event = line.slice(2);
    if (line === '' || /^[#=]/u.test(line)) continue;
    const groups = LINE.exec(line)?.groups;
    if (groups === undefined)
      throw new Error(`${half}.txt, line ${number + 1}: expected "day.hour title | summary"`);
    const { alone, day, hour, title = '', summary = '' } = groups;
    const publishedAt = new Date(Date.UTC(2026, 9, Number(day), Number(hour)));
    reports.push({
      id: `${half}-${number + 1}`,
      event: alone === undefined ? event : `alone ${number + 1}`,
      set: 'own',
      title,
      originalTitle: null,
      summary,
      sourceName: `Source ${number % 40}`,
      category: null,
      publishedAt,
      discoveredAt: publishedAt,
    });
  }
  const about = 'English and Chinese, with texts: made-up technology news';
  return { name: 'own', about, half, reports: byTime(reports) };
}

/** Reports in time order. */
export function byTime(reports: readonly LabelledReport[]): LabelledReport[] {
  return reports.toSorted(
    (a, b) => a.publishedAt.getTime() - b.publishedAt.getTime() || (a.id < b.id ? -1 : 1),
  );
}
