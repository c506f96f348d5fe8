import { Failure } from '@pressroom/common/failures/failure';
import type { Vocabulary } from '../../vocabulary.ts';
import { listSelectors } from '../lists/list-selectors.ts';
import { parseSelectRule, SELECT_RULES } from './select-rule.ts';
import { categoriesOf, checkRules } from './source-rules.ts';

/** What an editor says about a source; an absent member keeps its value. */
export interface SourceSettings {
  /** Empty: the feed's own title. */
  name?: string;
  /** Empty: the editor decides on each item. */
  category?: string;
  directions?: readonly string[];
  firstParty?: boolean;
  weight?: number;
  /** See `parseSelectRule`. */
  select?: string;
  readPages?: boolean;
  /** Whether the pictures of its entries are taken. */
  images?: boolean;
  /** See `rulingOf`; they replace those that it has. */
  rules?: readonly string[];
  /**
   * Whether it is a page that lists articles, and how, see `listSelectors`; false: it is a feed or a sitemap.
   */
  page?: string | false;
}

/** The most characters of a source's name, as of an item's `source.name`. */
const MAX_NAME = 200;

/**
 * Throws a {@link Failure} that says what to change, if something is wrong with `settings`. The patterns of
 * its rules are checked where they are read, see `faultsOfPatterns`.
 */
export function checkSettings(settings: SourceSettings, { categories, directions }: Vocabulary): void {
  const { name, category, weight, select, rules = [] } = settings;
  if (name !== undefined && name.length > MAX_NAME) {
    throw new Failure('invalid', `the name must be at most ${MAX_NAME} characters long`);
  }
  checkRules(rules);
  if (settings.page) listSelectors(settings.page);
  if ([category, ...categoriesOf(rules)].some((given) => given && !categories.includes(given))) {
    throw new Failure('invalid', `the category must be one of ${categories.join(', ')}`);
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
