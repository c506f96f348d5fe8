import { webUri } from '@pressroom/common/fields/fields';
import { type Enclosure, LARGEST_FILE, MOST_CREDITS } from '../fields.ts';
import { addressOf, isRecording, type RawLink } from './feed.ts';
import { cutText, type MarkedText, plainText } from './text.ts';

/** Who wrote an entry, what its source files it under, and its files, as written. */
export interface RawCredits {
  authors?: MarkedText[];
  tags?: MarkedText[];
  enclosures?: RawEnclosure[];
}

export interface RawEnclosure extends RawLink {
  type?: string | undefined;
  /** In bytes. */
  length?: string | number | undefined;
  /** In seconds, or as a clock shows it: 1:02:03. */
  duration?: string | number | undefined;
}

/** The same as items have them, in plain text; what is not given is absent. */
export interface Credits {
  authors?: string[];
  tags?: string[];
  enclosures?: Enclosure[];
}

/** RSS has the mail address of an author, which is not for readers. */
const MAIL = /(?:mailto:)?[^\s<>()[\],;:]+@[^\s<>()[\],;:]+/gi;

/** Media types of recordings whose feeds do not say it, by the ending of the name. */
const TYPES = new Map([
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['ogg', 'audio/ogg'],
  ['opus', 'audio/ogg'],
  ['mp4', 'video/mp4'],
  ['m4v', 'video/mp4'],
  ['webm', 'video/webm'],
]);

const UNKNOWN_TYPE = 'application/octet-stream';

/** Pages are what an entry links to, and pictures have a member of their own. */
const NO_FILE = /^(?:image\/|text\/html$|application\/xhtml\+xml$)/;

/**
 * Cleans the credits of an entry.
 * @param feedBase the address against which relative ones are resolved
 */
export function creditsOf(
  { authors = [], tags = [], enclosures = [] }: RawCredits,
  feedBase: string,
): Credits {
  const names = distinct(authors, MOST_CREDITS.authors, authorOf);
  // Some vocabularies name what they file things under by an address, which says nothing to readers.
  const subjects = distinct(tags, MOST_CREDITS.tags, (text) =>
    /^(?:https?|tag|urn):/i.test(text) ? '' : text,
  );
  const files = enclosuresOf(enclosures, feedBase);
  return {
    ...(names.length > 0 && { authors: names }),
    ...(subjects.length > 0 && { tags: subjects }),
    ...(files.length > 0 && { enclosures: files }),
  };
}

/** The name in `jane@example.com (Jane Doe)` and `Jane Doe <jane@example.com>`; empty without one. */
function authorOf(text: string): string {
  if (!text.includes('@')) return text;
  const name = text.replace(MAIL, ' ').replace(/\(\s*\)|<\s*>/g, ' ');
  return name
    .replace(/^\s*\(([^()]*)\)\s*$/, '$1')
    .replace(/\s+/g, ' ')
    .replace(/^[\s,;:]+|(?<![\s,;:])[\s,;:]+$/g, '');
}

function distinct(texts: readonly MarkedText[], most: number, clean: (text: string) => string): string[] {
  const seen = new Map<string, string>();
  for (const { value, markup } of texts) {
    if (seen.size === most) break;
    // Cut before it is read, too: a feed may repeat long texts without end.
    const text = plainText({ value: cutText(value, MOST_CREDITS.url), markup });
    const name = cutText(clean(text), MOST_CREDITS.name).trim();
    const key = name.toLowerCase();
    if (/[\p{L}\p{N}]/u.test(name) && !seen.has(key)) seen.set(key, name);
  }
  return [...seen.values()];
}

/** The files of an entry. One that is given twice, as an enclosure and as Media RSS, is one. */
function enclosuresOf(raw: readonly RawEnclosure[], feedBase: string): Enclosure[] {
  const files = new Map<string, Enclosure>();
  for (const given of raw) {
    const file = enclosureOf(given, feedBase);
    if (file === undefined) continue;
    const before = files.get(file.url);
    if (before === undefined && files.size === MOST_CREDITS.enclosures) continue;
    files.set(file.url, { ...file, ...before });
  }
  return [...files.values()];
}

function enclosureOf({ href, base, type, length, duration }: RawEnclosure, feedBase: string) {
  const address = addressOf({ href, base }, feedBase);
  if (address === undefined) return undefined;
  const url = webUri(address);
  const media = mediaType(type, address);
  if (url.length > MOST_CREDITS.url || media === undefined || NO_FILE.test(media)) return undefined;
  const [bytes, seconds] = [
    wholeNumber(length, LARGEST_FILE.length),
    wholeNumber(clock(duration), LARGEST_FILE.duration),
  ];
  return {
    url,
    type: media,
    ...(bytes !== undefined && { length: bytes }),
    ...(seconds !== undefined && { duration: seconds }),
  };
}

/** The type without its parameters, in lower case; that of the name's ending if it says none. */
function mediaType(type: string | undefined, { pathname }: URL): string | undefined {
  const [given = ''] = (type ?? '').split(';', 1);
  const named = given.trim().toLowerCase();
  const said = /^[a-z]+\/[a-z\d][a-z\d.+-]{0,98}$/.test(named) ? named : undefined;
  if (said !== undefined && said !== UNKNOWN_TYPE) return said;
  return TYPES.get(/\.([a-z\d]{3,4})$/i.exec(pathname)?.[1]?.toLowerCase() ?? '') ?? said;
}

/** Seconds in what iTunes has as `HH:MM:SS`, `MM:SS` or a number. */
function clock(value: string | number | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (value === undefined || !/^\s*\d{1,7}(?::\d{1,2}){0,2}(?:\.\d+)?\s*$/.test(value)) return undefined;
  return value.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

/** Rounded; undefined for 0, which feeds have where they do not know, and for what no file has. */
function wholeNumber(value: string | number | undefined, most: number): number | undefined {
  const number = Math.round(Number(value ?? Number.NaN));
  return number >= 1 && number <= most ? number : undefined;
}

/** The first of an entry's recordings has the duration that iTunes gives the whole entry. */
export function withDuration(
  enclosures: readonly RawEnclosure[],
  duration: string | undefined,
): RawEnclosure[] {
  const first = enclosures.find(({ type = '', href }) => isRecording(type, href));
  return enclosures.map((file) => (file === first ? { ...file, duration: file.duration ?? duration } : file));
}
