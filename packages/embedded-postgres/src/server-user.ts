import { execFileSync, spawnSync } from 'node:child_process';
import { StartError } from './start-error.ts';

/** The account that PostgreSQL is given when the starter is root, as PostgreSQL refuses to run as root. */
const ACCOUNT = 'postgres';

/** The numeric ids of the account that PostgreSQL runs as; `undefined` members: the starter's own. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Whether this process is root, and PostgreSQL therefore has to be somebody else. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Whom a new data directory belongs to: the starter, or the system's `postgres` account (made when missing)
 * when the starter is root. Throws a {@link StartError} when that account cannot be made.
 */
export function newServerUser(): ServerUser {
  if (!isRoot()) return {};
  const existing = lookUp();
  if (existing) return existing;
  const made = spawnSync('useradd', ['--system', '--user-group', '--no-create-home', ACCOUNT]);
  const user = lookUp();
  if (user) return user;
  const reason = made.error?.message ?? made.stderr.toString().trim();
  throw new StartError(
    `PostgreSQL does not run as root, and no account "${ACCOUNT}" could be made for it (${reason}); make one, or start as an ordinary user`,
  );
}

/** Whether PostgreSQL's account can enter a directory, all the directories above it included. */
export function canEnter(user: ServerUser, directory: string): boolean {
  if (user.uid === undefined) return true;
  const { status } = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...user, cwd: '/' });
  return status === 0;
}

function lookUp(): ServerUser | undefined {
  try {
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return undefined;
  }
}

function idOf(flag: '-u' | '-g'): number {
  return Number(
    execFileSync('id', [flag, ACCOUNT], { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' }),
  );
}
