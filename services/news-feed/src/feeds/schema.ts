import { z } from 'zod';
import { categoryParameter, directionParameter } from '../items/schema.ts';
import type { Vocabulary } from '../vocabulary.ts';

/** Query string of a feed of items. */
export function itemFeedQuery(vocabulary: Vocabulary) {
  return z.strictObject({
    category: categoryParameter(vocabulary),
    direction: directionParameter(vocabulary),
  });
}
