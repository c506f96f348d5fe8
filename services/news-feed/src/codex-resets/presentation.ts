import type { ResetEvent } from './schema.ts';

/**
 * How long an event whose estimate has passed is shown as just passed, in ms (`docs/spec/wire.md`, "Reset
 * tracking").
 */
const JUST_PASSED_MS = 6 * 60 * 60 * 1000;

/** A presentation at a moment, and until when it stays so; undefined: for good. */
export interface DerivedPresentation {
  presentation: ResetEvent['presentation'];
  until: Date | undefined;
}

/**
 * What an event's presentation is at `now`: an unconfirmed event past its estimate is `expired_unconfirmed`
 * for 6 hours, then `likely_completed`. The event's own `status` stays as it is.
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
