import type { Source } from '../sources/source-store.ts';

/**
 * The most entries of a source that are kept within 24 hours, new ones and changed ones: each costs a
 * judgement and the search for its story. Twice what one answer may have.
 */
const MOST_OF_A_DAY = 2000;

const DAY_MS = 86_400_000;

/** What a source has brought since its day began. */
export interface Intake {
  since: Date;
  taken: number;
  /** How many more entries it may bring. */
  room: number;
}

/** What a source has brought; its day begins with the first entry after the last one ended. */
export function intakeOf({ taken_since, taken }: Pick<Source, 'taken_since' | 'taken'>, now: Date): Intake {
  const lasts = taken_since !== null && now.getTime() - taken_since.getTime() < DAY_MS;
  if (!lasts) return { since: now, taken: 0, room: MOST_OF_A_DAY };
  return { since: taken_since, taken, room: Math.max(0, MOST_OF_A_DAY - taken) };
}

/** What an editor is told of a source that brings more. */
export const FLOODS = `it brought more than ${MOST_OF_A_DAY} new or changed entries within 24 hours; the others wait`;
