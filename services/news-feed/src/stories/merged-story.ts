/** Thrown where a story is asked for that has become another one: the caller leads there. */
export class MergedStory extends Error {
  /** The last survivor of the merges. */
  readonly survivor: string;

  constructor(survivor: string) {
    super(`the story has become ${survivor}`);
    this.name = 'MergedStory';
    this.survivor = survivor;
  }
}
