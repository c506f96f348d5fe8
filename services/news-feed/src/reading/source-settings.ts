import { Failure } from '@pressroom/common/failures/failure';
import { MAX_SOURCE_URL_BYTES } from '../fields.ts';
import type { Vocabulary } from '../words.ts';
import { checkTextSelector, listSelectors } from './list-selectors.ts';
import { categoriesOf, checkRules, parseSelectRule, quoted, SELECT_RULES } from './source-rules.ts';

/** The member that tells the entries of a source apart; `auto`: the rules that hold for all sources. */
export const IDENTITIES = ['auto', 'guid', 'link', 'both', 'content'] as const;

/** An editor's settings of a source; an absent member keeps its value. */
export interface SourceSettings {
  /** Empty: the feed's own title. */
  name?: string;
  /** Empty: the judge decides on each item. */
  category?: string;
  directions?: readonly string[];
  firstParty?: boolean;
  weight?: number;
  /** See `parseSelectRule`. */
  select?: string;
  readPages?: boolean;
  /** CSS of an article's text on its page; empty: it is found without. */
  textSelector?: string;
  /** The member that tells its entries apart, see `identifiedEntries`. */
  identity?: (typeof IDENTITIES)[number];
  /** False to leave out the pictures of its entries. */
  images?: boolean;
  /** See `rulingOf`; they replace those that it has. */
  rules?: readonly string[];
  /** Selectors of a page that lists articles, see `listSelectors`; false: it is a feed or a sitemap. */
  page?: string | false;
}

/** The most characters of a source's name, as of an item's `source.name`. */
const MAX_NAME = 200;

/**
 * Throws a {@link Failure} that says what to change, if something is wrong with `settings`. The patterns of
 * its rules are checked where they are read, see `faultsOfPatterns`.
 */
export function checkSettings(
  settings: SourceSettings,
  { categories, offered, directions }: Vocabulary,
): void {
  const { name, category, weight, select, rules = [] } = settings;
  if (name !== undefined && name.length > MAX_NAME) {
    throw new Failure('invalid', `the name must be at most ${MAX_NAME} characters long`);
  }
  checkRules(rules);
  if (settings.page) listSelectors(settings.page);
  if (settings.textSelector) checkTextSelector(settings.textSelector);
  if ([category, ...categoriesOf(rules)].some((given) => given && !categories.includes(given))) {
    throw new Failure('invalid', `the category must be one of ${offered.join(', ')}`);
  }
  if (settings.directions?.some((direction) => !directions.includes(direction))) {
    throw new Failure('invalid', `a direction must be one of ${directions.join(', ')}`);
  }
  if (weight !== undefined && !(weight >= 0 && weight <= 10)) {
    throw new Failure('invalid', 'the weight must be a number from 0 to 10');
  }
  if (select !== undefined && parseSelectRule(select) === undefined) {
    throw new Failure('invalid', `the select rule must be ${SELECT_RULES}`);
  }
}

/**
 * The address of a source as it is stored: http or https, without a fragment. Throws a {@link Failure} for
 * anything else.
 */
export function sourceUrl(text: string): string {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failure('invalid', `${quoted(text)} is not an http or https URL`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Failure('invalid', 'the address of a source must not contain a user name or password');
  }
  url.hash = '';
  if (Buffer.byteLength(url.href) > MAX_SOURCE_URL_BYTES) {
    throw new Failure(
      'invalid',
      `the address of a source must be at most ${MAX_SOURCE_URL_BYTES} bytes long`,
    );
  }
  return url.href;
}
