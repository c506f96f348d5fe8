import { homedir } from 'node:os';

/**
 * Gives the process a home where its user has none, as a container's user without a name: the AWS SDK looks
 * there for settings, and fails without one.
 */
export function ensureHome(): void {
  try {
    homedir();
  } catch {
    process.env.HOME = '/';
  }
}
