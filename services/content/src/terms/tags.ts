import { CATEGORIES } from './categories.ts';
import type { TermKind } from './kind.ts';

/** An article has any number of tags. */
export const TAGS: TermKind = {
  ...CATEGORIES,
  noun: 'tag',
  plural: 'tags',
  one: 'a tag',
  table: 'content.tag',
  filter: { name: 'tag', by: 'slug' },
  articleKey: 'article_tag_tag_id_fkey',
};
