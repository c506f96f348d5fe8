import { text } from '@pressroom/common/fields/text';
import { z } from 'zod';
import type { TermKind } from './kind.ts';

/** An article has at most one category. */
export const CATEGORIES: TermKind = {
  noun: 'category',
  plural: 'categories',
  one: 'a category',
  table: 'content.category',
  filter: { name: 'category_id', by: 'id' },
  articleKey: 'article_category_id_fkey',
  written: { description: text(500).nullable() },
  shown: { description: z.string().nullable() },
};
