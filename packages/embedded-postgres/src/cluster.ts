import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type Binaries, findBinaries } from './binaries.ts';
import { initialize } from './initdb.ts';
import { canEnter, isRoot, newServerUser, type ServerUser } from './server-user.ts';
import { makeSharedDirectory, SHARED_STATE } from './shared-state.ts';
import { StartError } from './start-error.ts';

/** A PostgreSQL data directory ("database cluster"), its owner and its programs. */
export interface Cluster {
  /** Absolute path of PostgreSQL's own data directory, symbolic links resolved. */
  readonly directory: string;
  /** Password of the superuser. */
  readonly password: string;
  readonly user: ServerUser;
  readonly binaries: Binaries;
}

/** Options for finding or creating a cluster. */
export interface ClusterOptions {
  /** The starter's directory: `data` (or a symbolic link of that name to it), `password` and `server.log`. */
  readonly home: string;
  /** Whether to wait until a new cluster is safely on disk; only tests can skip this. */
  readonly sync: boolean;
  readonly log: (line: string) => void;
}

/** Where a home directory has its cluster: PostgreSQL's data directory, or a symbolic link to it. */
export function clusterLink(home: string): string {
  return path.join(home, 'data');
}

/**
 * The cluster of a home directory, created if it does not exist yet. It keeps its original owner. If root
 * starts it in a place that PostgreSQL's account cannot access, its files are below {@link SHARED_STATE} and
 * `data` is a symbolic link. Throws a {@link StartError} if the cluster there cannot be used.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const link = clusterLink(options.home);
  if (lstatSync(link, { throwIfNoEntry: false })) return existingCluster(link, options);
  return createCluster(link, options);
}

function existingCluster(link: string, { home, log }: ClusterOptions): Cluster {
  if (!existsSync(link)) {
    throw new StartError(
      `${link} points to a directory that no longer exists; restore it, or delete ${home} to start over`,
    );
  }
  const directory = realpathSync(link);
  const user = ownerOf(directory);
  if (!canEnter(user, directory)) {
    throw new StartError(
      `PostgreSQL's account (uid ${user.uid}) cannot access ${directory}; make the parent directories accessible (chmod o+x), or set DATA_DIR to another directory`,
    );
  }
  return { directory, user, password: readPassword(home), binaries: findBinaries(user, log) };
}

function ownerOf(directory: string): ServerUser {
  const { uid, gid } = statSync(directory);
  if (isRoot()) return { uid, gid };
  if (uid === process.getuid?.()) return {};
  throw new StartError(
    `${directory} belongs to another account (uid ${uid}); start as that account or as root, or set DATA_DIR to another directory`,
  );
}

function readPassword(home: string): string {
  const file = path.join(home, 'password');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new StartError(
      `The database's password cannot be read (${String(error)}); restore ${file}, or delete ${home} to start over`,
    );
  }
}

async function createCluster(link: string, options: ClusterOptions): Promise<Cluster> {
  const { home, log } = options;
  const user = newServerUser();
  const binaries = findBinaries(user, log);
  const place = canEnter(user, home) ? home : reachableHome(home, log);
  log(`Creating the database in ${path.join(place, 'data')}`);
  const password = randomBytes(24).toString('base64url');
  writeFileSync(path.join(home, 'password'), password, { mode: 0o600 });
  const directory = await initialize({ place, password, user, initdb: binaries.initdb, sync: options.sync });
  if (directory !== link) symlinkSync(directory, link);
  return { directory: realpathSync(directory), user, password, binaries };
}

function reachableHome(home: string, log: (line: string) => void): string {
  const place = path.join(SHARED_STATE, randomBytes(8).toString('hex'));
  makeSharedDirectory(place);
  log(`PostgreSQL's account cannot access ${home}: the data is in ${place}, and ${home}/data links to it`);
  return place;
}
