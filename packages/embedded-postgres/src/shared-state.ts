import { chmodSync, mkdirSync } from 'node:fs';
import { StartError } from './start-error.ts';

/** Where a root starter keeps files that PostgreSQL's account could not access otherwise. */
export const SHARED_STATE = '/var/lib/pressroom';

/**
 * Makes a directory below {@link SHARED_STATE} that every account can enter and only root can write. Throws
 * a {@link StartError} when it cannot be made.
 */
export function makeSharedDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
  } catch (error) {
    throw new StartError(
      `${directory} cannot be created for PostgreSQL (${String(error)}); move this directory to where other accounts can access it, or start as an ordinary user`,
    );
  }
}
