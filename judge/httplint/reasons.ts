/** Why a warning of httplint stands. */
export interface Reason {
  /** The class of the note. */
  note: string;
  /** The exchanges that it holds for, by their names. */
  where: RegExp;
  /** Why it is left as it is. */
  why: string;
}

/** The warnings that stand, each with its reason; one that httplint no longer gives is a fault. */
export const REASONS: readonly Reason[] = [];
