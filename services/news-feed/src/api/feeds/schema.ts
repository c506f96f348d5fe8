import { z } from 'zod';
import type { Vocabulary } from '../../vocabulary.ts';
import { categoryParameter, directionParameter } from '../items/schema.ts';

/** Query string of a feed of items. */
export function itemFeedQuery(vocabulary: Vocabulary) {
  return z.strictObject({
    category: categoryParameter(vocabulary),
    direction: directionParameter(vocabulary),
  });
}
