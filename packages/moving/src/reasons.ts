import { Failure } from '@pressroom/common/failures/failure';

/** Why something is changed on the way, stays out, or is refused. */
export interface Reason {
  code: ReasonCode;
  /** The subject of the code, such as the name of a shortcode. */
  about: string | null;
  /** The English sentence, which commands print. */
  text: string;
}

/** A sentence that is made where its details are known. */
const said = (_about: string | null, sentence: string) => sentence;

const stays = (url: string, why: string) => `picture ${url}: ${why}; it stays where it is`;

/** The sentence of each code; its first value is what it is about. */
const SENTENCES = {
  // Adapted on the way.
  slug_taken: (slug: string, wanted: string) => `the slug ${wanted} is taken: it becomes ${slug}`,
  html_removed: (what: string) => `removed ${what}`,
  shortened: (what: string, most?: number) =>
    `${what}: shortened${most === undefined ? '' : ` to ${most} characters`}`,
  too_long_left_out: (what: string, most: number) =>
    `${what}: left out, it is longer than ${most} characters`,
  terms_left_out: (names: string, kinds: string, most: number) =>
    `${kinds} ${names}: left out, an article has at most ${most}`,
  shortcode_removed: (name: string) => `shortcode [${name}]: removed`,
  shortcode_kept: (name: string) => `shortcode [${name}]: left as text; --clean removes it`,
  block_left_out: (name: string) => `block ${name}: has no HTML of its own; left out`,
  pattern_lost: (id: string, what: string) => `pattern ${id}: ${what}`,
  footnotes_lost: () => 'footnotes: are not in the export',
  files_missing: (name: string, what: string) => `[${name}]: ${what} not in the export; left out`,
  became_tags: (names: string) => `also in ${names}: made tags`,
  taxonomy_lost: (name: string) => `taxonomy ${name}: not kept`,
  former_slug_lost: (slug: string) => `former slug ${slug}: not kept, it leads to something else`,
  picture_missing: (id: string) => `its picture (attachment ${id}) is not in the file; left out`,
  picture_gone: stays,
  picture_unfit: stays,
  pictures_full: stays,
  address_wrong: said,
  address_relative: (url: string) => `${url}: leads nowhere without the address of its site`,
  made_draft: (_: null, hidden: string) => `${hidden}: imported as a draft`,
  plan_over: (_: null, time: string | undefined) =>
    `was to be published ${time === undefined ? 'without a date' : `at ${time}`}: imported as a draft`,
  undated: () => 'has no date: imported as a draft',
  date_assumed: (time: string) =>
    `published_at is missing: the earliest date that is known, ${time}, stands for it`,
  date_impossible: (time: string) => `the date ${time} does not exist: left out`,
  untitled: (title: string) => `has no title; it is called "${title}"`,
  not_kept: (what: string) => `${what}: not kept`,
  // Left out.
  not_article: (type: string) => `${type}: not an article`,
  state: (state: string) => `an article in the state ${state}`,
  shared_pattern: () => 'pattern: is put into the articles that show it',
  category_parent: () => 'the parent of a category',
  comment: () => 'comment',
  custom_field: () => 'custom field',
  post_format: () => 'post format',
  sticky: () => 'being sticky',
  html_not_allowed: said,
  too_short: said,
  too_complex: said,
  no_author: () => 'author: none is named; name one in the line, or give --author',
  in_future: () => 'published_at: is in the future; import it as a draft (is_published false)',
  unknown_members: said,
  no_html: (format: string) => `has no html, only ${format}: save it again in Ghost, and export anew`,
  no_text: () => 'has no text',
  id_taken: said,
  slug_kept: said,
  not_json: said,
  line_too_long: said,
  not_utf8: said,
  // Ends the import.
  site_missing: () => 'the export leaves out the address of the site: give --site https://…',
  text_too_long: (_: null, text: string, most: number) => `${text} is longer than ${most} characters`,
  encoding: (encoding: string, file: string) =>
    `${file}: the encoding is ${encoding}; convert it to UTF-8, also in the first line`,
  not_ghost: (_: null, file: string, why: string) => `${file} is ${why}`,
  not_wordpress: (_: null, file: string) => `${file}: this is not an export of WordPress (WXR)`,
  malformed: said,
  gallery_away: () => 'the gallery takes no pictures in at the moment',
  /** About the field, such as `title`. */
  value_refused: said,
  other: said,
};

type Sentences = typeof SENTENCES;

/** A code with the values of its sentence. */
type Because = {
  [Code in keyof Sentences]: [code: Code, ...values: Parameters<Sentences[Code]>];
}[keyof Sentences];

/** `interrupted`: processes that worked on an import ended; `stuck`: nothing came for too long. */
export type ReasonCode = keyof Sentences | 'interrupted' | 'stuck';

export const REASON_CODES = [...Object.keys(SENTENCES), 'interrupted', 'stuck'] as ReasonCode[];

export function because(...[code, ...values]: Because): Reason {
  const sentence = SENTENCES[code] as (...values: unknown[]) => string;
  const [about = null] = values as (string | null | undefined)[];
  return { code, about, text: sentence(...values) };
}

/** Thrown for what cannot be imported: a line, or the whole file. */
export class Refusal extends Failure {
  readonly why: Reason;

  constructor(...why: Because) {
    const reason = because(...why);
    super('refused', reason.text);
    this.why = reason;
  }
}

/** The reason of what was thrown, for the person who wrote the file. */
export function reasonFor(error: unknown): Reason {
  if (error instanceof Refusal) return error.why;
  const text = error instanceof Error ? error.message : String(error);
  const field = error instanceof Failure && error.faults[0]?.field;
  return field ? because('value_refused', field, text) : because('other', null, text);
}
