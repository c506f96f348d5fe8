import { z } from 'zod';
import { filterParameters } from '../articles/filters.ts';

/** Query string of a feed: the filters of lists. */
export const feedQuery = z.strictObject(filterParameters);
