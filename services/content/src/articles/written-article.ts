/** An article as a write answers it. */
export interface WrittenArticle {
  id: number;
  title: string;
  slug: string;
  is_published: boolean;
}
