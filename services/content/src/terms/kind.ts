import type { z } from 'zod';

/** The schemas of members by name. */
type Members = Readonly<Record<string, z.ZodType>>;

/** What distinguishes a kind of terms, by which articles are grouped, from the others. */
export interface TermKind {
  /** In log lines and error codes, capitalized in the names of operations; also the table's name. */
  noun: 'category' | 'tag' | 'author';
  plural: 'categories' | 'tags' | 'authors';
  /** The noun with its indefinite article. */
  one: string;
  table: 'content.category' | 'content.tag' | 'content.author';
  /** The filter of the articles of a term, and the member that it takes. */
  filter: { name: 'category_id'; by: 'id' } | { name: 'tag' | 'author_slug'; by: 'slug' };
  /** The foreign key that keeps a term while articles have it. */
  articleKey: string;
  /** The members besides `name` and `slug`, as they are written; `PUT` requires them, `POST` does not. */
  written: Members;
  /** The same members as they are shown. */
  shown: Members;
}

/** `text` with a capital first letter. */
export function capitalized<Text extends string>(text: Text): Capitalize<Text> {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}` as Capitalize<Text>;
}
