import { z } from 'zod';
import { objectKey } from '../names.ts';

const MAX_PATHS = 1000;

/** The body of the question which articles show files. */
export const usesBody = z.strictObject({
  paths: z
    .array(objectKey, `must be a list of 1 to ${MAX_PATHS} paths`)
    .min(1, 'must contain at least one path')
    .max(MAX_PATHS, `must contain at most ${MAX_PATHS} paths`)
    .describe('Keys of files, and folders with "/" at their end.'),
});

const articleUse = z.object({ id: z.int(), title: z.string(), isPublished: z.boolean() });

/** An article that shows a file. */
export type ArticleUse = z.infer<typeof articleUse>;

const uses = z.object({
  isKnown: z.boolean().describe('False if the content service is not configured, or does not answer.'),
  canChange: z.boolean().describe('Whether there is a key with which addresses can be changed.'),
  articles: z.array(articleUse).describe('Without a key, the published ones.'),
  hasMore: z.boolean().describe('True if there are more than 100.'),
});

/** Which articles show files. */
export type Uses = z.infer<typeof uses>;

/** The answer to the question which articles show files. */
export const usesAnswer = z.object({ success: z.literal(true), data: uses });

/** The body of a change of addresses in articles. */
export const moveUsesBody = z
  .strictObject({
    from: objectKey.describe('The former key of a file, or a folder with "/" at its end.'),
    to: objectKey.describe('Its key now.'),
  })
  .refine(
    ({ from, to }) => from.endsWith('/') === to.endsWith('/'),
    'from and to must both be folders, or both files',
  );

const change = z.object({
  changed: z.int().describe('How many articles were changed, up to 100.'),
  failed: z
    .array(z.object({ id: z.int(), title: z.string(), message: z.string() }))
    .describe('Articles that could not be changed, and why.'),
  hasMore: z.boolean().describe('True if there are more: send the request again.'),
});

/** What a change of addresses did. */
export type Change = z.infer<typeof change>;

/** The answer to a change of addresses in articles. */
export const moveUsesAnswer = z.object({ success: z.literal(true), data: change });
