import { createReadStream } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Failure } from '@pressroom/common/failures/failure';
import { codePoints, webUrl } from '@pressroom/common/fields/fields';
import { fileFailure } from '@pressroom/common/files/json-lines';
import { withChangedUrls } from '@pressroom/common/html/changed-urls';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { because, type Reason, Refusal } from './reasons.ts';

/**
 * Something to import, as a line of JSON Lines has it; something that is no article; or something that cannot
 * be read.
 */
export type SourceEntry =
  | ImportEntry
  | { place: string; skipped: Reason }
  | { place: string; unreadable: Reason };

export interface ImportEntry {
  /** The place in the file, such as `line 7`, for reports. */
  place: string;
  line: unknown;
  /** Identifies the entry within its source for good; else its own members do. */
  identity?: Identity | undefined;
  /** The old address: a URL, or a path of the site. */
  address?: string | undefined;
  /** The repairs that made it readable. */
  notes?: readonly Reason[] | undefined;
}

/** Tells an imported article from all others. */
export interface Identity {
  /** Its site, id, addresses and the like; its slug and the date of its publication are added. */
  parts: readonly string[];
  /** The parts with the other spellings that its addresses may have had at an earlier import. */
  others?: readonly (readonly string[])[] | undefined;
  /** The parts that earlier versions took. */
  former: readonly (readonly string[])[];
  /** A slug that is made of the one that it had, which was none of ours. */
  slug?: string | undefined;
}

/** An address as an article accepts it, percent-encoded; undefined if it is none. */
export function webAddress(value: string | null | undefined): string | undefined {
  const url = value ? URL.parse(value.trim()) : null;
  const href = url?.href.replaceAll(/[|^`{}\\]/g, encodeURIComponent);
  return webUrl(500).safeParse(href).data;
}

/** Characters that no title may have: controls, and marks that reverse the text after them. */
const UNSEEN = /(?!\s)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Elements that stand on lines of their own. */
const LINES = /^(?:p|div|h[1-6]|li|br|figure|blockquote|tr)$/;

/** The text of HTML on one line, as a title or excerpt needs it. */
export function plainText(html: string): string {
  const texts: string[] = [];
  // No function that calls itself: HTML may be nested deeper than the stack.
  const left: (DefaultTreeAdapterTypes.Node | string)[] = [parseFragment(html)];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (typeof node === 'string') texts.push(node);
    else if ('value' in node) texts.push(node.value);
    else if ('childNodes' in node && !/^(?:script|style)$/.test(node.nodeName)) {
      const space = LINES.test(node.nodeName) ? ' ' : '';
      texts.push(space);
      left.push(space);
      for (const child of node.childNodes.toReversed()) left.push(child);
    }
  }
  return texts.join('').replaceAll(UNSEEN, '').replaceAll(/\s+/g, ' ').trim();
}

/** A day in ISO 8601, or as RSS has it. */
const DAY = /^(\d{4})-(\d\d)-(\d\d)|\b(\d{1,2}) ([A-Z][a-z]{2})[a-z]* (\d{4})/;

/** Ends a time with a zone, or is a day alone: JavaScript reads all others in the machine's zone. */
const ZONE = /(?:[a-z]|[+-]\d\d:?\d\d)\s*$|^\s*\d{4}-\d\d-\d\d\s*$/i;

/** A zone of hours alone, as PostgreSQL writes it, which JavaScript does not read. */
const HOURS = /(:\d\d(?:\.\d+)?[+-]\d\d)\s*$/;

/**
 * A time of an export as ISO 8601: in milliseconds or seconds, as RSS has it, or bare, which is UTC;
 * undefined for placeholders of no time.
 */
export function timeOf(value: unknown): string | undefined {
  if (typeof value === 'number') return iso(new Date(value < 1e11 ? value * 1000 : value));
  if (typeof value !== 'string' || isNever(value)) return undefined;
  if (/^\d{9,14}$/.test(value)) return timeOf(Number(value));
  if (!isDay(value)) return undefined;
  const time = value.replace(HOURS, '$1:00');
  const zone = /\dT\d/.test(time) ? 'Z' : ' UTC';
  return iso(new Date(ZONE.test(time) ? time : `${time}${zone}`));
}

/** A note on each text that should be a time and is none. */
export function impossibleDates(times: readonly unknown[]): Reason[] {
  const texts = times.filter((time) => typeof time === 'string').filter((time) => !isNever(time));
  return [...new Set(texts)]
    .filter((time) => timeOf(time) === undefined)
    .map((time) => because('date_impossible', time));
}

/** WordPress writes year 0, or one before the first, for articles that were never published. */
function isNever(value: string): boolean {
  return /^\s*$|^(?:0000|-)|\s-\d{4}\s/.test(value);
}

/** JavaScript takes 30 February for 1 March. */
function isDay(value: string): boolean {
  const [, year, month, day, dayOfRss, monthOfRss, yearOfRss] = DAY.exec(value) ?? [];
  if (day !== undefined)
    return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (dayOfRss === undefined) return true;
  return new Date(`${dayOfRss} ${monthOfRss} ${yearOfRss} UTC`).getUTCDate() === Number(dayOfRss);
}

/** WordPress writes a date before the year 1 for articles that were never published. */
function iso(time: Date): string | undefined {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999 ? time.toISOString() : undefined;
}

/** The planned publication of an article; null, with a note, if it is unknown or over. */
export function scheduledFor(time: string | undefined, notes: Reason[]): string | null {
  if (time !== undefined && new Date(time) > new Date()) return time;
  notes.push(because('plan_over', null, time));
  return null;
}

/**
 * Values by key, several each, in a temporary file that goes with the process: what the articles of an export
 * of gigabytes refer to would fill the memory.
 */
export class DiskMap<Value> {
  // A database without a name is such a file; what is in it survives no fault, and so needs no journal.
  readonly #db = new DatabaseSync('');
  readonly #insert;
  readonly #select;
  #size = 0;

  constructor() {
    this.#db.exec(`pragma journal_mode = off; pragma cache_size = -4000;
      create table entry (key text, place integer, value text, primary key (key, place)) without rowid;
      begin`);
    this.#insert = this.#db.prepare('insert into entry values (?, ?, ?)');
    this.#select = this.#db.prepare('select value from entry where key = ? order by place');
  }

  get size(): number {
    return this.#size;
  }

  add(key: string, value: Value): void {
    this.#insert.run(key, this.#size, JSON.stringify(value));
    this.#size += 1;
  }

  has(key: string): boolean {
    return this.#select.get(key) !== undefined;
  }

  /** The last value of a key. */
  get(key: string): Value | undefined {
    return this.all(key).at(-1);
  }

  /** The values of a key, in the order in which they were added. */
  all(key: string): Value[] {
    return this.#select.all(key).map(({ value }) => JSON.parse(String(value)));
  }

  /** All values, in the order in which they were added. */
  *values(): Generator<Value> {
    const all = this.#db.prepare('select value from entry order by place');
    for (const { value } of all.iterate()) yield JSON.parse(String(value));
  }
}

/** The most characters that one text of an export may have: parsers hold it in memory. */
export const MOST_CHARACTERS = 2 ** 26;

/**
 * The text of an export from elsewhere, piece by piece.
 *
 * @throws Failure if the file cannot be read, or is not UTF-8
 */
export async function* textOf(file: string): AsyncGenerator<string> {
  if (file === '-') throw new Failure('refused', 'the export is read twice: give it as a file');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new Refusal('not_utf8', null, `${file} is not UTF-8; convert it, with iconv for example`);
    throw fileFailure(error, file);
  }
}

/**
 * The longest prefix of `text` of at most `max` code points that ends with a whole word, if it contains one.
 */
export function truncateAtWord(text: string, max: number): string {
  if (codePoints(text) <= max) return text;
  const points = [...text];
  const beginning = points.slice(0, max).join('');
  if (/^\s/.test(points[max] ?? '')) return beginning.trimEnd();
  return beginning.replace(/(?<=\S)\s+\S*$/, '');
}

/** The longest title that is made of the beginning of an article. */
const MADE_TITLE = 80;

/** A title for an article that has none: its first words. */
export function titleFrom(html: string, notes: Reason[]): string {
  const text = plainText(html);
  const end = text.length > MADE_TITLE ? text.lastIndexOf(' ', MADE_TITLE) : text.length;
  const title = text.slice(0, end > 0 ? end : MADE_TITLE) || 'Untitled';
  notes.push(because('untitled', title));
  return title;
}

/** Attributes that name what a page shows. */
const SHOWN = /^(?:img src|img srcset|source src|source srcset|video src|video poster|audio src)$/;

/** A link to a picture or a file of an article, not to a page of the site. */
const FILE = /\.(?:avif|gif|jpe?g|png|webp|svg|mp3|mp4|pdf)(?:[?#]|$)/i;

/** An address without scheme and host. */
const RELATIVE = /^(?![a-z][a-z\d+.-]*:|\/\/|#|$)/i;

/**
 * HTML from elsewhere as it can be shown here: what it shows from its own site has whole addresses, and
 * frames come over https.
 *
 * @param site its address, if it is known
 */
export function withPlacedUrls(html: string, site: string | undefined, notes: Reason[]): string {
  const left = new Set<string>();
  const placed = withChangedUrls(html, (url, attribute) => {
    if (attribute === 'iframe src') return url.replace(/^\s*(?:http:)?(?=\/\/)/i, 'https:');
    const trimmed = url.trim();
    const isShown = SHOWN.test(attribute) || (attribute === 'a href' && FILE.test(trimmed));
    if (!isShown || !RELATIVE.test(trimmed)) return url;
    const whole = URL.parse(trimmed, site)?.href;
    if (whole === undefined) left.add(trimmed);
    return whole ?? url;
  });
  for (const url of left) notes.push(because('address_relative', url));
  return placed;
}

/** The slug here for a slug from elsewhere: itself where it is valid, or else one made of it, if any. */
export type SlugOf = (name: string) => { given?: string; made?: string };
