/** Follows long work from outside. */
export interface Watch {
  /** Ends the work between two objects when it is aborted. */
  signal: AbortSignal;
  /** Called after each step; `total` is null where it is not known. */
  progress(done: number, total: number | null): void;
}
