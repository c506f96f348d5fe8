import { execFileSync, spawnSync } from 'node:child_process';
import { StartError } from './start-error.ts';

/** The account for PostgreSQL if the starter is root, because PostgreSQL refuses to run as root. */
const ACCOUNT = 'postgres';

/** The numeric ids of the account that PostgreSQL runs as; `undefined` members: the starter's own. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Whether this process is root, so that PostgreSQL needs another account. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The owner of a new data directory: the starter or, if that is root, the system's `postgres` account
 * (created if missing). Throws a {@link StartError} if that account cannot be created.
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
    `PostgreSQL does not run as root, and the account "${ACCOUNT}" could not be created for it (${reason}); create it, or start as an ordinary user`,
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
