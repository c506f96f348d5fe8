/**
 * The reasons that an import gives, by code, so that whoever shows them can say each in their own words.
 * Importers say them in English sentences, which commands print.
 */

/** Why something is changed on the way, stays out, or ends the whole import; `about` is what it concerns. */
export interface Reason {
  code: ReasonCode;
  about: string | null;
  text: string;
}

/** Each code, with how its sentences read; the first group is what they are about. The first match counts. */
const PATTERNS = {
  // What is changed on the way.
  slug_taken: /^the slug \S+ is taken: it becomes (\S+)/,
  html_removed: /^removed (.+)$/,
  shortened: /^(.+?): shortened\b/,
  too_long_left_out: /^(.+): left out, it is longer than/,
  terms_left_out: /^(?:tags|authors) (.+): left out, an article has at most/,
  shortcode_removed: /^shortcode \[(.+)\]: removed$/,
  shortcode_kept: /^shortcode \[(.+)\]: left as text/,
  block_left_out: /^block (.+): has no HTML of its own/,
  pattern_lost: /^pattern (\S+): (?:what the article changes|is not in the export)/,
  footnotes_lost: /^footnotes: are not in the export$/,
  files_missing: /^\[(.+?)\]: .+ not in the export/,
  became_tags: /^also in (.+): made tags$/,
  taxonomy_lost: /^taxonomy (.+): not kept$/,
  former_slug_lost: /^former slug (.+): not kept/,
  picture_missing: /^its picture \(attachment (.+)\) is not in the file/,
  address_wrong: /^(?:canonical address )?(.+): is (?:none|no whole address); left out/,
  address_relative: /^(.+): leads nowhere without the address of its site$/,
  made_draft: /^(?:.+ in (?:WordPress|Ghost): imported as a draft)$/,
  plan_over: /^was to be published .+: imported as a draft$/,
  undated: /^has no date: imported as a draft$/,
  date_assumed: /^published_at is missing: the earliest date that is known, (.+), stands for it$/,
  date_impossible: /^the date (.+) does not exist: left out$/,
  untitled: /^has no title; it is called "(.+)"$/s,
  not_kept: /^(.+): not kept$/,
  // What stays out.
  not_article: /^(.+): not an article$/,
  state: /^an article in the state (.+)$/,
  shared_pattern: /^pattern: is put into the articles/,
  category_parent: /^the parent of a category$/,
  comment: /^comment$/,
  custom_field: /^custom field$/,
  post_format: /^post format$/,
  sticky: /^being sticky$/,
  html_not_allowed: /^content: .*?([^;:]+?) is not allowed/s,
  too_short: /^content: must have at least/,
  too_complex: /^content: cannot be checked/,
  no_author: /^author: none is named/,
  in_future: /^published_at: is in the future/,
  unknown_members: /^unknown members: (.+?); take them out/,
  no_html: /^has no html, only (.+?):/,
  no_text: /^has no text$/,
  not_json: /^the line is not JSON$/,
  line_too_long: /^the line is longer than/,
  not_utf8: /^the line is not UTF-8$|is not UTF-8; convert it/,
  // What ends the import.
  site_missing: /the export leaves out the address of the site/,
  text_too_long: /a text (?:of the export )?is longer than/,
  encoding: /: the encoding is (.+?); convert it/,
  not_ghost: /is not JSON: |is not a whole export of Ghost/,
  not_wordpress: /this is not an export of WordPress/,
  malformed: /: not well-formed: (?:.*?\bline (\d+))?/,
  // A value of a member, such as `title: must …`.
  value_refused: /^((?:tag|category|author) ".*?"|[\w.]+):/s,
} as const satisfies Record<string, RegExp>;

/** `interrupted`: processes that worked on it ended; `stuck`: nothing came for too long. */
export const REASON_CODES = [...Object.keys(PATTERNS), 'other', 'interrupted', 'stuck'] as (
  | keyof typeof PATTERNS
  | 'other'
  | 'interrupted'
  | 'stuck'
)[];

export type ReasonCode = (typeof REASON_CODES)[number];

/** The longest of these texts, in characters: a file may say anything in them. */
const MOST_CHARACTERS = 500;

/** The reason that an importer gives in a sentence. */
export function reasonOf(sentence: string): Reason {
  const text = sentence
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, MOST_CHARACTERS)
    .toWellFormed();
  for (const [code, pattern] of Object.entries(PATTERNS)) {
    const match = pattern.exec(text);
    if (match !== null) return { code: code as keyof typeof PATTERNS, about: match[1] ?? null, text };
  }
  return { code: 'other', about: null, text };
}
