import { z } from 'zod';
import { codePoints } from '../fields/text.ts';

/** The minimum and maximum number of code points in a search (`docs/spec/news-feed.md`, "Limits"). */
const QUERY_LENGTH = { min: 2, max: 200 };

const QUERY_ERROR = `must be ${QUERY_LENGTH.min} to ${QUERY_LENGTH.max} characters long, not counting leading and trailing white space`;

/** Text to search for in a query string, trimmed first. */
export const searchText = z
  .string()
  .transform((value) => value.trim())
  .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be text')
  .refine((value) => {
    const length = codePoints(value);
    return length >= QUERY_LENGTH.min && length <= QUERY_LENGTH.max;
  }, QUERY_ERROR)
  .meta({
    minLength: QUERY_LENGTH.min,
    maxLength: QUERY_LENGTH.max,
    // At least two characters remain after trimming.
    pattern: '\\S[\\s\\S]*\\S',
  });
