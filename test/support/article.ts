/** A complete body of `POST /api/articles`, published, with `title`. */
export function articleBody(title: string): Record<string, unknown> {
  return {
    title,
    content: `<p>${'A paragraph that is long enough to be an article. '.repeat(2)}</p>`,
    excerpt: 'A paragraph.',
    category_id: null,
    featured_image: null,
    alt_text: null,
    meta_title: null,
    meta_description: null,
    canonical_url: null,
    is_published: true,
  };
}
