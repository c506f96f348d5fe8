/** The categories and directions that a deployment allows for items. */
export interface Vocabulary {
  /** `NEWS_CATEGORIES`, in the order of a daily report's sections. */
  categories: readonly string[];
  /** `NEWS_DIRECTIONS`. */
  directions: readonly string[];
  /** How readers see each of them, by its name: `policy-standard` is `Policy standard` unless it is named. */
  labels: Record<'category' | 'direction', ReadonlyMap<string, string>>;
}
