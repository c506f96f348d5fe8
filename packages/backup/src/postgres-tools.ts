import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { Failure } from '@pressroom/common/failures/failure';

/** Debian's folder for the programs of each version. */
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

/** A run of one of PostgreSQL's programs. */
interface ToolRun<Result> {
  /** The database to connect to, if it is to. */
  url?: string;
  /** Its standard input; it need not read all of it. */
  input?: Readable;
  /** Takes what it writes to standard output. */
  read: (stdout: Readable) => Promise<Result>;
  signal?: AbortSignal | undefined;
}

/**
 * Runs a program of PostgreSQL. The password is passed in the environment, because arguments are visible to
 * every account. Resolves to what `read` makes of its output; throws a {@link Failure} with the program's own
 * words if it fails.
 */
export async function runTool<Result>(
  tool: PostgresTool,
  args: readonly string[],
  { url, input, read, signal }: ToolRun<Result>,
): Promise<Result> {
  const connection = url === undefined ? undefined : splitPassword(url);
  const target = connection === undefined ? [] : ['--no-password', `--dbname=${connection.withoutPassword}`];
  const child = spawn(tool.file, [...target, ...args], {
    env: { ...process.env, ...connection?.env, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
  });
  const ended = once(child, 'close');
  const said = text(child.stderr);
  const fed = feed(input, child.stdin);
  // Errors thrown below take precedence.
  for (const promise of [ended, said]) promise.catch(() => undefined);
  try {
    const result = await read(child.stdout);
    const [code] = await ended;
    // Bad input makes the program fail, too, with less to say.
    const inputError = await fed;
    if (inputError !== undefined) throw inputError;
    if (code !== 0) throw new Failure('refused', (await said).trim() || `${tool.file} ended with ${code}`);
    return result;
  } finally {
    child.kill();
  }
}

/** Writes `input` to a program's standard input, or closes that; resolves to why it could not be read. */
async function feed(input: Readable | undefined, stdin: Writable): Promise<unknown> {
  // A program that has read enough, or has ended, breaks the pipe.
  let broken = false;
  stdin.on('error', () => {
    broken = true;
  });
  if (input === undefined) {
    stdin.end();
    return undefined;
  }
  try {
    await pipeline(input, stdin);
    return undefined;
  } catch (error) {
    return broken || stdin.closed ? undefined : error;
  }
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
