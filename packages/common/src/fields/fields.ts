import { z } from 'zod';

/**
 * The number of Unicode code points of `text`: the unit of length limits, here and in PostgreSQL's
 * `char_length`.
 */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Invisible characters: zero-width and other ignorable ones (Unicode), controls, and the Braille blank. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * The number of characters of `text` that a reader could notice, white space included; 0 for white space
 * alone.
 */
export function readableCharacters(text: string): number {
  const readable = text.replace(INVISIBLE, '');
  return hasText(readable) ? codePoints(readable) : 0;
}

/** True if `text` contains anything visible: not only white space, controls and zero-width characters. */
export function hasText(text: string): boolean {
  return /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

/**
 * PostgreSQL cannot store U+0000, and a lone surrogate is not valid text: neither would be returned as sent.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The fault of a text that cannot be stored. */
export const NOT_STORABLE = 'contains a NUL character or half a surrogate pair; remove it';

/** Text that is stored and returned as sent, of any length. */
export function anyText() {
  return z.string('must be a string').refine(isStorable, {
    message: NOT_STORABLE,
    params: { code: 'invalid_characters' },
  });
}

/**
 * The text with at most 30 marks on a letter, as Unicode's Stream-Safe Text has it (UAX #15): to normalize a
 * longer run takes time in the square of its length.
 */
export function streamSafe(value: string): string {
  return value.replace(/(\p{M}{30})\p{M}+/gu, '$1');
}

/** Text of at most `max` code points. */
export function text(max: number) {
  return anyText()
    .refine((value) => codePoints(value) <= max, {
      message: `must be at most ${max} characters long`,
      params: { code: 'too_long', limit: max },
    })
    .meta({ maxLength: max });
}

/** Text of 1 to `max` code points, at least one of which is visible. */
export function requiredText(max: number) {
  return text(max)
    .refine(hasText, { message: 'must not be empty', params: { code: 'required' } })
    .meta({ minLength: 1 });
}

/**
 * Line breaks and other controls, and the marks that turn the text after them around (Unicode's embeddings,
 * overrides and isolates), beyond the end of the text if nothing ends them.
 */
const NOT_ON_A_LINE = /(?!\0)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Narrows a text to one that can stand in a line among others, such as a title in a list. */
export function onOneLine<Text extends z.ZodType<string>>(schema: Text): Text {
  return schema.refine((value) => !NOT_ON_A_LINE.test(value), {
    message: 'must be one line, without control characters and marks that reverse text (such as U+202E)',
    params: { code: 'invalid_characters' },
  });
}

/** Rejects what a URL parser would silently repair: white space, control characters, missing slashes. */
const WEB_URL = /^https?:\/\/[^\s\p{Cc}]+$/iu;

/** A user name or password in a URL, or the sign that would end them. */
const CREDENTIALS = /^https?:\/\/[^/?#]*@/i;

/** Returns the fault of a {@link webUrl}; undefined if it has none. */
function webUrlFault(value: string): string | undefined {
  if (!(WEB_URL.test(value) && URL.canParse(value))) return 'must be an absolute http or https URL';
  if (CREDENTIALS.test(value)) return 'must not contain a user name or password';
  if (isWebUri(value)) return undefined;
  return 'must be a URI (RFC 3986): percent-encode non-ASCII characters, spaces and " < > \\ ^ ` { | }';
}

/**
 * An absolute http or https URI (RFC 3986) of at most `max` characters, without credentials, kept as written:
 * a page can put it into an attribute as it is.
 */
export function webUrl(max: number) {
  return text(max)
    .superRefine((value, context) => {
      const message = webUrlFault(value);
      if (message) context.addIssue({ code: 'custom', message, params: { code: 'invalid_format' } });
    })
    .meta({ format: 'uri' });
}

/**
 * A time in ISO 8601 with an offset, as text on the wire, in the years 1 to 9999 of UTC, since others are not
 * written in four digits; `expected` is the error message.
 */
export function instant(expected: string) {
  return z.iso
    .datetime({ offset: true, error: expected })
    .transform((text) => new Date(text))
    .refine((time) => time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999, expected)
    .meta({ type: 'string', format: 'date-time' });
}

/**
 * A whole number from `min` to `max` in a query string, in plain decimal digits: text on the wire, an integer
 * in the OpenAPI description.
 */
export function integerParameter(min: number, max = Number.MAX_SAFE_INTEGER) {
  const expected =
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number of at least ${min}`
      : `must be a whole number from ${min} to ${max}`;
  return z
    .string(expected)
    .regex(/^(0|[1-9]\d{0,15})$/, expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** The largest id that can exist: PostgreSQL's `integer`. */
const MAX_ID = 2 ** 31 - 1;

/**
 * The OpenAPI description of every id that a client sends; one that is too large is accepted, and not found.
 */
const ID_BOUNDS = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;

/** An id too large to exist is read as 0, which no row has: it is well formed but simply not found. */
function existable(id: number): number {
  return id > MAX_ID ? 0 : id;
}

/** An id in a path or a query string: a positive integer; 0 for one too large to exist. */
export function idParameter() {
  const expected = 'must be a positive integer';
  return z
    .string(expected)
    .regex(/^[1-9]\d*$/, expected)
    .transform((value) => existable(Number(value)))
    .meta(ID_BOUNDS);
}

/** An id in a body, read like {@link idParameter}; `expected` is the error message. */
export function idMember(expected: string) {
  return z.int(expected).positive(expected).transform(existable).meta(ID_BOUNDS);
}

const PERCENT = '%[0-9a-f]{2}';
const REG_NAME = `(?:[a-z0-9._~!$&'()*+,;=-]|${PERCENT})`;
const PCHAR = `(?:[a-z0-9._~!$&'()*+,;=:@-]|${PERCENT})`;
const AUTHORITY = `(?:\\[[0-9a-f:.]+\\]|${REG_NAME}+)(?::\\d*)?`;

const URI = new RegExp(
  `^https?://${AUTHORITY}(?:/${PCHAR}*)*(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?$`,
  'i',
);

/**
 * True if `text` is an http or https URI (RFC 3986) without a user name or password: the answers declare
 * `format: uri`. Browsers accept more, such as non-ASCII characters, which a URI must percent-encode.
 */
export function isWebUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text);
}

/** Characters that browsers accept in an address and RFC 3986 does not. */
const NOT_URI = /[\s"<>\\^`{|}[\]]/g;

/** The address as a URI, which {@link isWebUri} takes. */
export function webUri({ origin, href }: URL): string {
  const rest = href.slice(origin.length);
  return origin + rest.replace(NOT_URI, (character) => encodeURIComponent(character));
}

/**
 * Parameters that say where a reader came from, not what they read, in lower case: those that ClearURLs
 * removes from any address, and later ones; each is a full name or a prefix with `*`.
 */
const TRACKING = `
  utm utm_* itm_* int_source int_medium int_campaign int_content otm_* hmb_* mtm_* pk_* piwik_* matomo_* ga_* hsa_* hsctatracking _hsenc _hsmi __hsfp __hssc
  __hstc _ga _gl gclid gclsrc dclid gbraid wbraid gad gad_* gs_l srsltid fbclid fb_action_ids fb_action_types fb_ref
  fb_source action_object_map action_ref_map action_type_map igsh igshid mibextid msclkid yclid ysclid ymclid _openstat
  ttclid twclid __twitter_impression ref_src ref_url li_fat_id epik rdt_cid sccid scid rb_clickid tracking_source
  mc_cid mc_eid mc_tc mkt_tok ml_subscriber ml_subscriber_hash vero_conv vero_id wickedid oly_anon_id oly_enc_id
  elqtrackid elqtrack elqcampaignid elqaid elqat elq _kx _ke __s _bta_* trk_* bsft_* dm_i ck_subscriber_id
  sfmc_* sc_cid s_cid s_kwcid ef_id cmpid ncid mbid at_medium at_campaign at_custom* wt_mc wt_zmc wtmc wtrid echobox spm scm vn_*
  os_ehash ceneo_spo xtor share_token ref
`
  .trim()
  .split(/\s+/);

const NAMES = new Set(TRACKING.filter((name) => !name.endsWith('*')));
const PREFIXES = TRACKING.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

/** True if a parameter of this name tells where a reader came from, such as `fbclid` and `utm_source`. */
export function isTracking(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.has(lower) || PREFIXES.some((prefix) => lower.startsWith(prefix));
}

/** The minimum and maximum number of code points in a search (`docs/spec/news-feed.md`, "Limits"). */
const QUERY_LENGTH = { min: 2, max: 200 };

const QUERY_ERROR = `must be ${QUERY_LENGTH.min} to ${QUERY_LENGTH.max} characters long, not counting leading and trailing white space`;

/** Text to search for in a query string, trimmed first. */
export const searchText = z
  .string()
  .transform((value) => value.trim())
  .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be text')
  .refine((value) => {
    const length = codePoints(value);
    return length >= QUERY_LENGTH.min && length <= QUERY_LENGTH.max;
  }, QUERY_ERROR)
  .meta({
    minLength: QUERY_LENGTH.min,
    maxLength: QUERY_LENGTH.max,
    // At least two characters remain after trimming.
    pattern: '\\S[\\s\\S]*\\S',
  });

/** True if a text names a time zone of the IANA database. An offset is none: it has no summer time. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
