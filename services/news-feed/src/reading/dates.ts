import { Temporal } from 'temporal-polyfill';

/** Separators of a date and its time. */
const BETWEEN = String.raw`(?:T|,?\s+(?:[-–|]\s+|(?:at|um|à|às|alle|om|klo?\.?|в)\s+)?|(?<=[日일])\s*)`;

/** A time of day. */
const CLOCK = String.raw`(?<before>[上下]午|午[前後]|오[전후])?\s*(?<hour>[01]?\d|2[0-4])(?:[:.]|\s?h\s?|[时時시]\s?)(?<minute>[0-5]\d)[分분]?(?:[:.\s]?(?<=[:.]|[分분]\s?)(?<second>[0-5]\d|60)[秒초]?(?:[.,](?<fraction>\d+))?)?\s*(?<half>[ap]\.?m\b\.?)?(?:\s*Uhr)?`;

/** Additions after RFC 9557: the place of a time that has its offset, a calendar. */
const ADDED = String.raw`(?:\[[^\]]*\])*`;

/** A zone: a place, or a name, an offset, or both; in brackets if it is an addition itself. */
const ZONE = String.raw`\s*\[?!?(?:(?<place>[a-z]+/[a-z_/+-]+)|(?<name>[a-z]*)\s*(?<offset>[+-]\d\d?(?::?\d\d)?)?)\]?${ADDED}`;

const TIME = `(?:${BETWEEN}${CLOCK}${ZONE}|${ADDED})`;

/** The name of a day, in any language. */
const WEEKDAY = String.raw`(?:\p{L}[\p{L}\p{M}-]*\.?(?:\s*,\s*|\s+))?`;

/** A month's name of at least three letters, or of two with dots. */
const NAME = String.raw`(?<month>(?:\p{L}[\p{L}\p{M}]{2,}|\p{L}\p{M}*\.\s?\p{L}\p{M}*)\.?)`;

const YEAR = String.raw`(?<year>\d{4}|\d\d)`;

const FORMS = [
  // ISO 8601 and RFC 3339, also with a space, slashes, or in the signs of East Asia.
  String.raw`(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)${TIME}`,
  String.raw`(?<year>\d{4})[/.]\s?(?<month>\d\d?)[/.]\s?(?<day>\d\d?)\.?${TIME}`,
  String.raw`(?<year>\d{4})\s*[年년]\s*(?<month>\d\d?)\s*[月월]\s*(?<day>\d\d?)\s*[日일]${TIME}`,
  // The basic format of ISO 8601.
  String.raw`(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:T?(?<hour>[01]\d|2[0-4])(?<minute>[0-5]\d)(?<second>[0-5]\d|60)?${ZONE})?`,
  // RFC 822, 2822 and 850.
  String.raw`${WEEKDAY}(?<day>\d\d?)(?:\.|st|nd|rd|th|er|º)?(?:\s+|-)(?:de\s+|ב)?${NAME}(?:,?\s+|-)(?:de\s+)?${YEAR}(?:\s*г(?:\.|ода)?(?=[,\s]|$))?(?:,?\s+\p{L}{3,}(?=[,\s]|$))?${TIME}`,
  // With the year first, as in Hungary, or in numbers, as in Vietnam.
  String.raw`(?<year>\d{4})[.\s-]\s*${NAME}[\s-]\s*(?<day>\d\d?)\.?${TIME}`,
  String.raw`(?:ngày\s+)?(?<day>\d\d?)\s+tháng\s+(?<month>\d\d?)(?:,|\s+năm)?\s+(?<year>\d{4})${TIME}`,
  // The form of the United States, and of C's asctime.
  String.raw`${WEEKDAY}${NAME}\s+(?<day>\d\d?)(?:st|nd|rd|th)?,?\s+(?<year>\d{4})${TIME}`,
  String.raw`${WEEKDAY}${NAME}\s+(?<day>\d\d?)\s+${CLOCK}${ZONE}\s+(?<year>\d{4})`,
  // In numbers, where they say which is the day.
  String.raw`(?<day>\d\d?)\.\s?(?<month>\d\d?)\.\s?(?<year>\d{4})${TIME}`,
  String.raw`(?<month>\d\d?)/(?<day>\d\d?)/(?<year>\d{4})${BETWEEN}(?=.*[ap]\.?m\b)${CLOCK}${ZONE}`,
  String.raw`(?<month>\d\d?)[/-](?<day>1[3-9]|2\d|3[01])[/-](?<year>\d{4})${TIME}`,
  String.raw`(?<day>1[3-9]|2\d|3[01])[/-](?<month>\d\d?)[/-](?<year>\d{4})${TIME}`,
].map((form) => new RegExp(`^${form}$`, 'iu'));

/** Names of zones in hours from UTC: those of RFC 822, and the usual ones elsewhere. */
const ZONES = new Map(
  Object.entries({
    ...{
      '': 0,
      z: 0,
      ut: 0,
      utc: 0,
      gmt: 0,
      wet: 0,
      west: 1,
      bst: 1,
      cet: 1,
      met: 1,
      cest: 2,
      mest: 2,
      mesz: 2,
      mez: 1,
    },
    ...{
      eet: 2,
      eest: 3,
      msk: 3,
      trt: 3,
      sast: 2,
      wat: 1,
      cat: 2,
      eat: 3,
      gst: 4,
      pkt: 5,
      ist: 5.5,
      npt: 5.75,
    },
    ...{
      ict: 7,
      wib: 7,
      wita: 8,
      wit: 9,
      hkt: 8,
      sgt: 8,
      pht: 8,
      myt: 8,
      jst: 9,
      kst: 9,
      awst: 8,
      acst: 9.5,
    },
    ...{
      acdt: 10.5,
      aest: 10,
      aedt: 11,
      nzst: 12,
      nzdt: 13,
      art: -3,
      brt: -3,
      clt: -4,
      nst: -3.5,
      ndt: -2.5,
    },
    ...{ ast: -4, adt: -3, edt: -4, est: -5, cdt: -5, cst: -6, mdt: -6, mst: -7, pdt: -7, pst: -8 },
    ...{ akdt: -8, akst: -9, hst: -10 },
  }),
);

/** Names of zones whether or not it is summer there. */
const PLACES: Readonly<Record<string, string>> = {
  et: 'America/New_York',
  ct: 'America/Chicago',
  mt: 'America/Denver',
  pt: 'America/Los_Angeles',
};

/** A name that long may be that of a zone; what it means is not known, and UTC is at most half a day off. */
const MOST_ZONE_LETTERS = 5;

/** Seconds or milliseconds since 1970. */
const EPOCH = /^(\d{10})(\d{3})?$/;

/** A longer text is not a date. */
const MAX_CHARACTERS = 100;

/** A comment at the end, as RFC 2822 allows. */
const COMMENT = /\s*\([^()]*\)$/;

const HOUR_MS = 3_600_000;

/**
 * A date with its year as feeds write it; undefined for anything else, for what can be read in two ways, and
 * for dates before 1990. The platform would guess a year for what has none, and read what has no zone in that
 * of the process.
 *
 * @param language that of its text (BCP 47), which may name its month
 * @param zone that of a date without one (IANA); UTC by default
 */
export function feedDate(text: string, language?: string, zone?: string): Date | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const plain = withoutDay(timeLast(withoutEra(withPlainDigits(text).trim()))).replace(COMMENT, '');
  const date = sinceEpoch(plain) ?? dateOfForm(plain, language, zone);
  return date !== undefined && date.getTime() >= Date.UTC(1990) ? date : undefined;
}

/** A time before its date: 10:30, 20 November 2026. */
function timeLast(text: string): string {
  return text.replace(/^(\d{1,2}:\d\d(?::\d\d)?),?\s+(?=.*\d{4})([^:]+)$/u, '$2 $1');
}

/** The day of the week, before the numbers or, in East Asia, between a date and its time. */
const DAYS = [
  /^\p{L}[\p{L}\p{M}\s]{0,15}\.?\s?,\s*(?=\d)/u,
  /^วัน\p{L}[\p{L}\p{M}]*(?:ที่)\s*/u,
  /(?<=[日일\d])\s*[(（]?(?:(?:星期|周|週|礼拜|禮拜)[一二三四五六日天]|[月火水木金土日]曜日?|[월화수목금토일]요일|(?<=[(（])[月火水木金土日월화수목금토일])[)）]?/u,
];

function withoutDay(text: string): string {
  return DAYS.reduce((rest, day) => rest.replace(day, ''), text.replaceAll('،', ','));
}

/** The years before the first one of eras that are in use. */
const ERAS = new Map([
  ['令和', 2018],
  ['平成', 1988],
  ['民國', 1911],
  ['民国', 1911],
]);

function withoutEra(text: string): string {
  return text
    .replace(/พ\.ศ\.\s*/u, '')
    .replace(/^(令和|平成|民國|民国)\s*(元|\d{1,3})(?=\s*年)/u, (_, era, year) =>
      String((ERAS.get(era) ?? 0) + (year === '元' ? 1 : Number(year))),
    );
}

/** The zeros of the digits that feeds write dates with, beside ours. */
const ZEROS = [...'٠۰०๐０'];

function withPlainDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹०-९๐-๙０-９]/gu, (digit) => {
    const values = ZEROS.map((zero) => digit.charCodeAt(0) - zero.charCodeAt(0));
    return String(values.find((value) => value >= 0 && value < 10));
  });
}

function sinceEpoch(text: string): Date | undefined {
  const [, seconds, ms = '0'] = EPOCH.exec(text) ?? [];
  return seconds === undefined ? undefined : new Date(Number(seconds) * 1000 + Number(ms));
}

function dateOfForm(text: string, language?: string, zone?: string): Date | undefined {
  const parts = FORMS.values()
    .map((form) => form.exec(text)?.groups)
    .find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const { minute = '0', second = '0', fraction = '0' } = parts;
  const [year, month, day] = [
    yearOf(parts.year ?? ''),
    monthOf(parts.month ?? '', language),
    Number(parts.day),
  ];
  const midnight = new Date(Date.UTC(year, month, day));
  if (midnight.getUTCMonth() !== month || midnight.getUTCDate() !== day) return undefined;
  const seconds = (hourOf(parts) * 60 + Number(minute)) * 60 + Number(second);
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const time = midnight.getTime() + seconds * 1000 + ms;
  const hours = hoursFromUtc(parts, time, zone);
  return hours === undefined ? undefined : new Date(time - hours * HOUR_MS);
}

/** Some write 22:00 PM. */
function hourOf({ hour = '0', half, before }: Partial<Record<string, string>>): number {
  const given = Number(hour);
  const part = half ?? before;
  if (part === undefined || given > 12) return given;
  return (given % 12) + (/^p|下|後|후/i.test(part) ? 12 : 0);
}

/** @param time what the clock there shows, as if it were that of UTC */
function hoursFromUtc(
  { place, name = '', offset }: Partial<Record<string, string>>,
  time: number,
  zone: string | undefined,
) {
  if (place !== undefined) return hoursAt(place, time);
  if (offset !== undefined) return hoursOf(offset);
  if (name === '' && zone !== undefined) return hoursAt(zone, time);
  const there = PLACES[name.toLowerCase()];
  if (there !== undefined) return hoursAt(there, time);
  return ZONES.get(name.toLowerCase()) ?? (name.length <= MOST_ZONE_LETTERS ? 0 : undefined);
}

function hoursAt(place: string, time: number): number | undefined {
  try {
    const there = new Date(time).toISOString().slice(0, -1);
    const zoned = Temporal.PlainDateTime.from(there).toZonedDateTime(place);
    return zoned.offsetNanoseconds / (HOUR_MS * 1e6);
  } catch {
    return undefined;
  }
}

/** From 0 to 11; -1 for none. */
function monthOf(text: string, language: string | undefined): number {
  return (/^\d/.test(text) ? Number(text) : (monthNamed(text, language) ?? 0)) - 1;
}

/** The years of Thailand are ahead by this many. */
const BUDDHIST_YEARS = 543;

/** Two digits are a year from 1950 to 2049 (RFC 2822, section 4.3). */
function yearOf(digits: string): number {
  const year = Number(digits);
  if (year > 2400) return year - BUDDHIST_YEARS;
  if (digits.length > 2) return year;
  return year < 50 ? 2000 + year : 1900 + year;
}

/** An offset like `+0530`, `+05:30` or `+5`, in hours. */
function hoursOf(offset: string): number {
  const digits = offset.slice(1).replace(':', '');
  const [hours, minutes] = digits.length > 2 ? [digits.slice(0, -2), digits.slice(-2)] : [digits, '0'];
  return (offset.startsWith('-') ? -1 : 1) * (Number(hours) + Number(minutes) / 60);
}

/** Languages with names of months in feeds, whatever language they declare. */
const LANGUAGES =
  'de fr it es pt nl ru uk pl cs sk sv da nb fi hu ro tr el bg hr sr sl ca eu gl et lv lt id vi ar he fa hi bn th'.split(
    ' ',
  );

/** The shortest prefix that is taken for a month if no whole name matches. */
const MIN_LETTERS = 3;

const known = new Map<string, Map<string, number>>();

/** The months of a language by their names, from 1 to 12: alone, beside a day, and short. */
function monthsOf(language: string): Map<string, number> {
  const names = known.get(language) ?? new Map<string, number>();
  known.set(language, names);
  if (names.size > 0) return names;
  for (const month of ['long', 'short'] as const) {
    for (const day of [undefined, 'numeric'] as const) {
      const format = new Intl.DateTimeFormat(language, { month, day, timeZone: 'UTC', calendar: 'gregory' });
      for (let number = 1; number <= 12; number += 1) {
        const parts = format.formatToParts(Date.UTC(2026, number - 1, 1));
        const name = parts.find(({ type }) => type === 'month')?.value;
        if (name !== undefined) names.set(name.toLowerCase().replace(/\.$/, ''), number);
      }
    }
  }
  return names;
}

/**
 * The month of a name, or of its beginning, from 1 to 12: in the language that is known, in English, else in
 * whatever languages have it; undefined where they mean different months.
 *
 * @param language BCP 47
 */
export function monthNamed(text: string, language = 'en'): number | undefined {
  const name = text.toLowerCase().replace(/\.$/, '');
  const likely = monthIn(language, name) ?? monthIn('en', name);
  if (likely !== undefined) return likely;
  const [month, other] = new Set(LANGUAGES.flatMap((language) => monthIn(language, name) ?? []));
  return other === undefined ? month : undefined;
}

function monthIn(language: string, name: string): number | undefined {
  const names = monthsOf(language);
  const whole = names.get(name);
  if (whole !== undefined || name.length < MIN_LETTERS) return whole;
  const first = name.slice(0, MIN_LETTERS);
  const [month, other] = new Set(
    [...names].flatMap(([own, number]) => (own.startsWith(first) && !/\d/.test(own) ? [number] : [])),
  );
  return other === undefined ? month : undefined;
}

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
