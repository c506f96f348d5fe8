import { feedDate } from '../feeds/feed-date.ts';
import { monthsOf } from '../feeds/month-names.ts';

/** A year first, as in ISO 8601 or East Asia, with its time; or the day first, between dots. */
const NUMERIC = [
  /(?<!\d)(?<year>(?:19|20)\d\d)\s?[-/.年]\s?(?<month>\d\d?)\s?[-/.月]\s?(?<day>\d\d?)(?!\d)日?(?:[T\s]+(?<time>\d\d?:\d\d(?::\d\d)?))?/u,
  /(?<!\d)(?<day>\d\d?)\.\s?(?<month>\d\d?)\.\s?(?<year>(?:19|20)\d\d)(?!\d)/u,
];

/** A month by its name, before or after the day. */
const NAMED = [
  /(?<!\d)(?<day>\d\d?)(?:st|nd|rd|th|er|[.ºª])?(?:\s+of)?\s*(?:de\s+|d[’'])?(?<month>\p{L}{3,12})\.?,?\s+(?:del?\s+)?(?<year>(?:19|20)\d\d)(?!\d)/iu,
  /(?<!\p{L})(?<month>\p{L}{3,12})\.?\s+(?<day>\d\d?)(?:st|nd|rd|th)?,?\s+(?<year>(?:19|20)\d\d)(?!\d)/iu,
];

/** A day in an address, such as /2026/11/20/ or /20261120/. */
const IN_ADDRESS =
  /\/(?<year>20\d\d)(?:([-/])(?<month>\d\d?)\2(?<day>\d\d?)|(?<month8>\d\d)(?<day8>\d\d))(?=[-/_.]|$)/;

/** The first date with its year in a text, in numbers or in words of a language or of English. */
export function dateInWords(text: string, language: string | undefined): string | undefined {
  if (!/(?:19|20)\d\d/.test(text)) return undefined;
  for (const form of NUMERIC) {
    const { year, month, day, time } = form.exec(text)?.groups ?? {};
    const date = dayOf(year, Number(month), day);
    if (date !== undefined) return time === undefined ? date : `${date} ${time.padStart(5, '0')}`;
  }
  const months = [language ?? 'en', 'en'].map(monthsOf);
  for (const form of NAMED) {
    const { year, month = '', day } = form.exec(text)?.groups ?? {};
    const number = months.flatMap((names) => names.get(month.toLowerCase()) ?? [])[0];
    const date = number === undefined ? undefined : dayOf(year, number, day);
    if (date !== undefined) return date;
  }
  return undefined;
}

/** The day that an address names. */
export function dateInAddress({ pathname }: URL): string | undefined {
  const { year, month, day, month8, day8 } = IN_ADDRESS.exec(pathname)?.groups ?? {};
  return dayOf(year, Number(month ?? month8), day ?? day8);
}

function dayOf(year: string | undefined, month: number, day: string | undefined): string | undefined {
  const date = `${year}-${String(month).padStart(2, '0')}-${day?.padStart(2, '0')}`;
  return feedDate(date) === undefined ? undefined : date;
}
