import { z } from 'zod';
import type { Vocabulary } from '../../vocabulary.ts';
import { categoryParameter, directionParameter } from '../items/schema.ts';

/** Path of the feed of one category. */
export function categoryFeedPath(vocabulary: Vocabulary) {
  return z.object({ category: categoryParameter(vocabulary).unwrap() });
}

/** Query string of the feed of one category. */
export function categoryFeedQuery(vocabulary: Vocabulary) {
  return z.strictObject({ direction: directionParameter(vocabulary) });
}

/** Query string of a feed of items. */
export function itemFeedQuery(vocabulary: Vocabulary) {
  return z.strictObject({
    category: categoryParameter(vocabulary),
    direction: directionParameter(vocabulary),
  });
}
