import type { ResetEvent } from './schema.ts';

/**
 * How long an event past its estimate is shown as just passed, in ms (`docs/spec/wire.md`, "Reset
 * tracking").
 */
const JUST_PASSED_MS = 6 * 60 * 60 * 1000;

/** A presentation at a given time, and until when it is valid; undefined means permanently. */
export interface DerivedPresentation {
  presentation: ResetEvent['presentation'];
  until: Date | undefined;
}

/**
 * An event's presentation at `now`: an unconfirmed event past its estimate is `expired_unconfirmed` for 6
 * hours, then `likely_completed`. The `status` of the event itself does not change.
 */
export function derivePresentation(
  { presentation, estimate, status }: Pick<ResetEvent, 'presentation' | 'estimate' | 'status'>,
  now: Date,
): DerivedPresentation {
  const settled = status === 'confirmed' || presentation?.status === 'confirmed';
  if (presentation === null || estimate === null || settled) return { presentation, until: undefined };
  const passed = new Date(estimate.through);
  if (now < passed) return { presentation, until: passed };
  const completed = new Date(passed.getTime() + JUST_PASSED_MS);
  if (now < completed) {
    return { presentation: { ...presentation, status: 'expired_unconfirmed' }, until: completed };
  }
  return { presentation: { ...presentation, status: 'likely_completed' }, until: undefined };
}
