import { onOneLine, requiredText, text, webUrl } from '@pressroom/common/fields/text';
import { z } from 'zod';
import type { TermKind } from './kind.ts';

/** The most links of an author. */
const MOST_LINKS = 20;

const links = z
  .array(
    z.strictObject({
      label: onOneLine(requiredText(100)).optional(),
      url: webUrl(500)
        .refine((url) => /^https:/i.test(url), {
          message: 'must be an https URL',
          params: { code: 'invalid_format' },
        })
        .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]:' }),
    }),
    'must be a list of {"label", "url"}',
  )
  .max(MOST_LINKS, `must be at most ${MOST_LINKS} links`);

/** An article has any number of authors, whose names are then its `author`. */
export const AUTHORS: TermKind = {
  noun: 'author',
  plural: 'authors',
  one: 'an author',
  table: 'content.author',
  filter: { name: 'author_slug', by: 'slug' },
  articleKey: 'article_author_author_id_fkey',
  written: {
    bio: text(2000).nullable().describe('Plain text.'),
    picture: webUrl(500).nullable(),
    links: links.describe('Where else readers find the author; in this order.'),
  },
  shown: {
    bio: z.string().nullable(),
    picture: z.string().nullable(),
    links: z.array(z.object({ label: z.string().optional(), url: z.string() })),
  },
};
