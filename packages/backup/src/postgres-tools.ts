import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Failure } from '@pressroom/common/failures/failure';

/** Where Debian keeps the programs of each version. */
const DEBIAN_VERSIONS = '/usr/lib/postgresql';

/** A program of PostgreSQL, and the major version that it belongs to. */
export interface PostgresTool {
  file: string;
  major: number;
}

/**
 * Finds `name` (`pg_dump`, `pg_restore`) of version `major` or later on the PATH, then where Debian keeps one
 * for each version: an older one refuses a newer server. Throws a {@link Failure} that says which ones it
 * found and what to install.
 */
export async function findTool(name: string, major: number, path = process.env.PATH): Promise<PostgresTool> {
  const tooOld: string[] = [];
  for (const directory of [...(path ?? '').split(delimiter).filter(Boolean), ...(await debianFolders())]) {
    const file = join(directory, name);
    const found = await majorOf(file);
    if (found !== undefined && found >= major) return { file, major: found };
    if (found !== undefined) tooOld.push(`${file} is of version ${found}`);
  }
  const instead = tooOld.length > 0 ? `: ${[...new Set(tooOld)].join(', ')}` : ', and there is none';
  throw new Failure(
    'refused',
    `the database needs ${name} of version ${major} or later on the PATH${instead}; install PostgreSQL's client programs (Debian, Ubuntu: postgresql-client-${major} from apt.postgresql.org)`,
  );
}

/**
 * Runs a program of PostgreSQL, on the database of `url` if there is one. The password is passed in the
 * environment, because arguments are visible to every account. Resolves to what it wrote to standard output;
 * throws a {@link Failure} with its own words if it fails.
 */
export async function runTool(tool: PostgresTool, args: readonly string[], url?: string): Promise<string> {
  const connection = url === undefined ? undefined : splitPassword(url);
  const target = connection === undefined ? [] : ['--no-password', `--dbname=${connection.withoutPassword}`];
  const child = spawn(tool.file, [...target, ...args], {
    env: { ...process.env, ...connection?.env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Failure('refused', err.trim() || `${tool.file} ended with ${code}`);
  return out;
}

/** The URL without its password, and the password, decoded, where libpq looks for one. */
function splitPassword(url: string): { withoutPassword: string; env: NodeJS.ProcessEnv } {
  const parsed = new URL(url);
  const env = parsed.password === '' ? {} : { PGPASSWORD: decodeURIComponent(parsed.password) };
  parsed.password = '';
  return { withoutPassword: parsed.href, env };
}

/** Debian's folders, the newest version first. */
async function debianFolders(): Promise<string[]> {
  const versions = await readdir(DEBIAN_VERSIONS).catch(() => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  return newestFirst.map((version) => join(DEBIAN_VERSIONS, version, 'bin'));
}

/**
 * The major version that a program says it has, as in `pg_dump (PostgreSQL) 18.4`; undefined if it does not
 * run.
 */
async function majorOf(file: string): Promise<number | undefined> {
  try {
    await access(file, constants.X_OK);
    const { stdout } = await promisify(execFile)(file, ['--version']);
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
    return major === undefined ? undefined : Number(major);
  } catch {
    return undefined;
  }
}
