import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { serverEnvironment } from './server-environment.ts';
import type { ServerUser } from './server-user.ts';
import { StartError } from './start-error.ts';

/** The superuser of the embedded server, and the name of the database that the services share. */
export const ROLE = 'pressroom';

/** What a cluster is made with. */
export interface Initialization {
  /** The directory that `data` is made in. */
  readonly place: string;
  /** Password of {@link ROLE}. */
  readonly password: string;
  /** The owner of the files. */
  readonly user: ServerUser;
  /** Path of the program. */
  readonly initdb: string;
  /** Whether to wait until everything is safely on disk. */
  readonly sync: boolean;
}

/**
 * Creates a cluster, `data` in the given place: completely, or not at all if the process is killed. Returns
 * its path. Throws a {@link StartError} with initdb's message if it fails.
 */
export async function initialize(options: Initialization): Promise<string> {
  const { place, password, user } = options;
  const partial = path.join(place, 'data.new');
  const passwordFile = path.join(place, 'password.new');
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    chownSync(partial, user.uid, user.gid);
    chownSync(passwordFile, user.uid, user.gid);
  }
  try {
    await runInitdb(options, partial, passwordFile);
  } finally {
    rmSync(passwordFile);
  }
  const directory = path.join(place, 'data');
  renameSync(partial, directory);
  return directory;
}

async function runInitdb(
  { initdb, user, sync }: Initialization,
  directory: string,
  passwordFile: string,
): Promise<void> {
  const run = spawn(
    initdb,
    [
      `--pgdata=${directory}`,
      `--username=${ROLE}`,
      `--pwfile=${passwordFile}`,
      // Every account on this machine can reach the port, so a password is required.
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // PostgreSQL's own collation: the same order on every machine, whatever locales are installed.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(sync ? [] : ['--no-sync']),
    ],
    { ...user, cwd: '/', env: serverEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const [errors, [code]] = await Promise.all([text(run.stderr), once(run, 'close')]);
  if (code === 0) return;
  throw new StartError(
    `The database could not be created in ${directory}: ${errors.trim().replaceAll('\n', ' ')}`,
  );
}
