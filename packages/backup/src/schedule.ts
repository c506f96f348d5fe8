/** A day, in ms. */
const DAY_MS = 86_400_000;

/**
 * How often the newest backup is verified: every week, and half a day less, so that the first backup of the
 * seventh day is not a little too early.
 */
const VERIFICATION_MS = 6.5 * DAY_MS;

/** The last moment until `now` at which it was `hour` o'clock in UTC, when a backup was due. */
function lastDue(now: Date, hour: number): number {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), hour);
  return today <= now.getTime() ? today : today - DAY_MS;
}

/** Whether a backup is due: there is none, or none since `hour` o'clock. */
export function isBackupDue(newest: Date | undefined, now: Date, hour: number): boolean {
  return newest === undefined || newest.getTime() < lastDue(now, hour);
}

/** In how many ms the next backup is due, if none is now. */
export function msUntilDue(now: Date, hour: number): number {
  return lastDue(now, hour) + DAY_MS - now.getTime();
}

/** Whether a verification is due. */
export function isVerificationDue(newest: Date | undefined, now: Date): boolean {
  return newest === undefined || now.getTime() - newest.getTime() >= VERIFICATION_MS;
}

/**
 * Those of `made` that are not kept any more: older than `keepDays`, with as many newer ones. So neither many
 * backups on one day nor a month without any removes the last good ones.
 */
export function expired<Backup extends { madeAt: Date }>(
  made: readonly Backup[],
  now: Date,
  keepDays: number,
): Backup[] {
  return made
    .toSorted((one, other) => other.madeAt.getTime() - one.madeAt.getTime())
    .slice(keepDays)
    .filter(({ madeAt }) => now.getTime() - madeAt.getTime() > keepDays * DAY_MS);
}
