import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AssignableItem } from '@pressroom/news-feed/newsroom/stories/story-assigner';

/** A report of the labelled set. */
export interface LabelledReport extends AssignableItem {
  /** The event that it is on; a report on its own is an event of its own. */
  event: string;
}

const LINE = /^(?<alone>- )?(?<day>\d+)\.(?<hour>\d+) (?<title>.+?) \| (?<summary>.+)$/u;

/** One half of the labelled set, in time order; each report of an event is from another source. */
export function readLabelledSet(half: 'tuning' | 'unread'): LabelledReport[] {
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
      title,
      originalTitle: null,
      summary,
      sourceName: `Source ${number % 40}`,
      category: null,
      publishedAt,
      discoveredAt: publishedAt,
    });
  }
  return reports.sort((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime() || (a.id < b.id ? -1 : 1));
}
