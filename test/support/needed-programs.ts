import { beforeEach } from 'vitest';

/**
 * Leaves out the tests of the file, or of the `describe` around it, where a program is missing. `note` says
 * which one; in CI that is an error.
 */
export function skipUnless(found: boolean, note: string): void {
  beforeEach(({ skip }) => {
    if (!found && process.env.CI) throw new Error(`This test ${note}`);
    skip(!found, note);
  });
}
