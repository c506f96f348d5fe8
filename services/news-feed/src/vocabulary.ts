/** The categories and directions that a deployment allows for items. */
export interface Vocabulary {
  /** `NEWS_CATEGORIES`, in the order of a daily report's sections. */
  categories: readonly string[];
  /** `NEWS_DIRECTIONS`. */
  directions: readonly string[];
}
