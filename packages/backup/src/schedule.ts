/** A day, in ms. */
const DAY_MS = 86_400_000;

/**
 * Interval at which the newest backup is verified: every week, and half a day less, so that the first backup
 * of the seventh day is not a little too early.
 */
const VERIFICATION_MS = 6.5 * DAY_MS;

/** The last moment until `now` at which it was `hour` o'clock in UTC, when a backup was due. */
function lastDue(now: Date, hour: number): number {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), hour);
  return today <= now.getTime() ? today : today - DAY_MS;
}

/** Returns the backups made until `now`; a clock that was wrong may have dated others later. */
export function madeUntil<Backup extends { madeAt: Date }>(made: readonly Backup[], now: Date): Backup[] {
  return made.filter(({ madeAt }) => madeAt.getTime() <= now.getTime());
}

/** When a backup was last test-restored until `now`. */
export function lastVerified(kept: readonly { verifiedAt: Date | undefined }[], now: Date): Date | undefined {
  const times = kept.flatMap(({ verifiedAt }) => verifiedAt?.getTime() ?? []);
  const past = times.filter((time) => time <= now.getTime());
  return past.length === 0 ? undefined : new Date(Math.max(...past));
}

/** True if there is no backup, or none since `hour` o'clock, or the newest is dated after `now`. */
export function isBackupDue(newest: Date | undefined, now: Date, hour: number): boolean {
  return newest === undefined || newest > now || newest.getTime() < lastDue(now, hour);
}

/** True if a schedule that tries again has made its backup: one is younger than 12 hours. */
export function isRecent(newest: Date | undefined, now: Date): boolean {
  return newest !== undefined && newest <= now && now.getTime() - newest.getTime() < DAY_MS / 2;
}

/** In how many ms the next backup is due, if none is now. */
export function msUntilDue(now: Date, hour: number): number {
  return lastDue(now, hour) + DAY_MS - now.getTime();
}

/** When the backup after one is due, of one that is made every day at `hour` o'clock in UTC. */
export function dueAfter(made: Date, hour: number): Date {
  return new Date(lastDue(made, hour) + DAY_MS);
}

/** The same of a schedule that is somebody else's. */
export function aDayAfter(made: Date): Date {
  return new Date(made.getTime() + DAY_MS);
}

export function isVerificationDue(newest: Date | undefined, now: Date): boolean {
  return newest === undefined || newest > now || now.getTime() - newest.getTime() >= VERIFICATION_MS;
}

/**
 * Returns the backups to remove: older than `keepDays`, with as many newer ones. So neither many backups on
 * one day nor a month without any removes the last good ones. Those dated after `now` neither go nor count.
 */
export function expired<Backup extends { madeAt: Date }>(
  made: readonly Backup[],
  now: Date,
  keepDays: number,
): Backup[] {
  return madeUntil(made, now)
    .toSorted((one, other) => other.madeAt.getTime() - one.madeAt.getTime())
    .slice(keepDays)
    .filter(({ madeAt }) => now.getTime() - madeAt.getTime() > keepDays * DAY_MS);
}
