/** A picture, or what is written into it, is not as its format says: what it gives away is unknown. */
export class NotUnderstood extends Error {}

/** Throws {@link NotUnderstood} unless `holds`. */
export function understand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new NotUnderstood(what);
}
