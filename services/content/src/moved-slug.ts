/** Thrown when what a slug names has another slug by now, so that the caller can redirect to it. */
export class MovedSlug extends Error {
  /** The current slug. */
  readonly slug: string;

  constructor(slug: string) {
    super(`this slug has become ${slug}`);
    this.name = 'MovedSlug';
    this.slug = slug;
  }
}
