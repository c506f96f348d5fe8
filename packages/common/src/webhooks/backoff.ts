/** The pauses before the first attempts that follow a failure, in seconds; then there is one every hour. */
const FIRST_S = [5, 20, 80, 320, 1280];

const HOUR_S = 3600;

/** How long attempts are made, in seconds: three days. */
const TOTAL_S = 72 * HOUR_S;

const MOST = FIRST_S.length + Math.ceil((TOTAL_S - FIRST_S.reduce((sum, pause) => sum + pause)) / HOUR_S);

/** The pause after so many failed attempts, in ms; undefined once they have been made for three days. */
export function backoffMs(failures: number): number | undefined {
  return failures > MOST ? undefined : (FIRST_S[failures - 1] ?? HOUR_S) * 1000;
}
