/**
 * Thrown when the requested story has been merged into another one, so that the caller can redirect to it.
 */
export class MergedStory extends Error {
  /** The last survivor of the merges. */
  readonly survivor: string;

  constructor(survivor: string) {
    super(`the story has become ${survivor}`);
    this.name = 'MergedStory';
    this.survivor = survivor;
  }
}
