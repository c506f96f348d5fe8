/** What a deployment lets an item say of itself. */
export interface Vocabulary {
  /** `NEWS_CATEGORIES`, in the order of a daily report's sections. */
  categories: readonly string[];
  /** `NEWS_DIRECTIONS`. */
  directions: readonly string[];
}
