import type { Source } from '../sources/source-store.ts';

/** Numbers of entries that a source's feed has not had before, and of those that it has changed. */
export interface EntryCounts {
  added: number;
  changed: number;
}

/**
 * The most entries of a source that are kept within 24 hours, of new ones and of changed ones each: every one
 * costs a judgement and the search for its story. Twice what one answer may have.
 */
const MOST_OF_A_DAY = 2000;

const DAY_MS = 86_400_000;

/** What a source has brought since its day began. */
export interface Intake {
  since: Date;
  taken: EntryCounts;
  /** How many more entries it may bring. */
  room: EntryCounts;
}

/** What a source has brought; its day begins with the first entry after the last one ended. */
export function intakeOf(
  { taken_since, taken, taken_changes }: Pick<Source, 'taken_since' | 'taken' | 'taken_changes'>,
  now: Date,
): Intake {
  const lasts = taken_since !== null && now.getTime() - taken_since.getTime() < DAY_MS;
  const { added, changed } = lasts ? { added: taken, changed: taken_changes } : { added: 0, changed: 0 };
  return {
    since: lasts ? taken_since : now,
    taken: { added, changed },
    room: { added: Math.max(0, MOST_OF_A_DAY - added), changed: Math.max(0, MOST_OF_A_DAY - changed) },
  };
}

/** What an editor reads about a source that brings more; null if nothing of it was left out. */
export function floodOf(leftOut: EntryCounts): string | null {
  const kinds = [...(leftOut.added > 0 ? ['new'] : []), ...(leftOut.changed > 0 ? ['changed'] : [])];
  if (kinds.length === 0) return null;
  const amounts = kinds.map((kind) => `more than ${MOST_OF_A_DAY} ${kind} entries`).join(' and ');
  return `it brought ${amounts} within 24 hours; the others are read later, if its feed still has them then`;
}
