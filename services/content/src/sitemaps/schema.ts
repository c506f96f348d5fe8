import { z } from 'zod';

/** Query string of the sitemap. */
export const sitemapQuery = z.strictObject({
  part: z
    .string()
    .regex(
      /^(articles|categories|authors)-[1-9][0-9]{0,5}$/,
      'must be one that the index names, such as articles-1',
    )
    .optional()
    .describe('Which file; without it, the index of the files.'),
});
