/** An article as the answer to a write shows it. */
export interface WrittenArticle {
  id: number;
  title: string;
  slug: string;
  is_published: boolean;
}
