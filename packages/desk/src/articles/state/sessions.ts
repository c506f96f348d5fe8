import type { Revision } from '../api/types.ts';

/** The longest pause within a session, in ms. */
const PAUSE_MS = 30 * 60_000;

/** Revisions of one person within a short while, the newest first; readers have seen all of them, or none. */
export type Session = readonly [Revision, ...Revision[]];

/** Brings revisions together in sessions, both the newest first. */
export function sessionsOf(revisions: readonly Revision[]): Session[] {
  const sessions: [Revision, ...Revision[]][] = [];
  for (const revision of revisions) {
    const session = sessions.at(-1);
    const later = session?.at(-1);
    if (session !== undefined && later !== undefined && areOne(revision, later)) session.push(revision);
    else sessions.push([revision]);
  }
  return sessions;
}

function areOne(earlier: Revision, later: Revision): boolean {
  return (
    earlier.key?.name === later.key?.name &&
    earlier.is_published === later.is_published &&
    Date.parse(later.created_at) - Date.parse(earlier.created_at) <= PAUSE_MS
  );
}

/** True if the schedule made it, which has no key. */
export function isBySchedule({ key, changed }: Revision): boolean {
  const isPlan = ['publish_at', 'unpublish_at', 'release'].some((member) => changed?.includes(member));
  return key === null && isPlan && changed?.includes('is_published') === true;
}
