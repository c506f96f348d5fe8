import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The migrations that differ from those of the last release, or of the last main, which databases may have
 * applied, and functions that do without a larger revision: a line each. Without git, or where a clone has
 * neither, there is nothing to compare with.
 */
export async function migrationFaults(root: string): Promise<string[]> {
  const git = async (...args: string[]) => (await gitIn(root, ...args)).trim();
  const orNone = (output: Promise<string>) => output.catch(() => '');
  const faults = new Set<string>();
  for (const base of await bases((...args) => orNone(git(...args)))) {
    const changes = await git('diff', '--name-status', '--no-renames', base, '--', 'migrations/*.sql');
    const last = lastMigration(await git('ls-tree', '--name-only', base, 'migrations/'));
    const untracked = await git('ls-files', '--others', '--exclude-standard', '--', 'migrations/*.sql');
    for (const line of changes.split('\n').filter(Boolean)) {
      const [status, file = ''] = line.split('\t');
      if (status === 'M' && (await replaces(root, file, base))) continue;
      if (status !== 'A') faults.add(`${file} ${CHANGED}`);
      else if (file < last) faults.add(`${file} ${comesBefore(last)}`);
    }
    for (const file of untracked.split('\n').filter((file) => file && file < last)) {
      faults.add(`${file} ${comesBefore(last)}`);
    }
    if (await haveFunctionsChanged(root, base)) faults.add(`${LIST} ${SAME_REVISION}`);
  }
  return [...faults].sort();
}

/** The last of the files that end in `.sql`, of one a line; empty without one. */
export function lastMigration(files: string): string {
  return files.split('\n').findLast((file) => file.endsWith('.sql')) ?? '';
}

async function gitIn(root: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', root, '-c', 'safe.directory=*', ...args]);
  return stdout;
}

/**
 * True if the file says that databases may have applied the one of `base`: `migrate` takes the one for the
 * other.
 */
export async function replaces(root: string, file: string, base: string): Promise<boolean> {
  const former = hash('sha256', await gitIn(root, 'show', `${base}:${file}`));
  return (await readFile(join(root, file), 'utf8')).includes(`-- Former checksum: ${former}\n`);
}

/** True if the functions and triggers differ from those of `base`, under the same revision. */
async function haveFunctionsChanged(root: string, base: string): Promise<boolean> {
  const before = await gitIn(root, 'show', `${base}:${LIST}`).catch(() => '');
  const now = await readFile(join(root, LIST), 'utf8').catch(() => '');
  if (before === '' || now === '') return false;
  const [old, today]: FunctionList[] = [JSON.parse(before), JSON.parse(now)];
  if (old === undefined || today === undefined || today.revision > old.revision) return false;
  const paths = [old, today].flatMap(({ files }) => files.map(({ path }) => posix.join('migrations', path)));
  return (await gitIn(root, 'diff', '--name-only', base, '--', LIST, ...paths)) !== '';
}

interface FunctionList {
  readonly revision: number;
  readonly files: readonly { readonly path: string }[];
}

const LIST = 'migrations/functions.json';
const SAME_REVISION =
  'has the revision of functions that have changed since: raise it, so that a database knows the newer ones';
const CHANGED = 'differs from what databases have applied: restore it, and put the change into a new file';
const comesBefore = (last: string) =>
  `comes before ${last}, which databases have applied: give it the next number`;

/** The commits whose migrations count as applied; on main itself, the one before, too. */
async function bases(git: (...args: string[]) => Promise<string>): Promise<string[]> {
  const head = await git('rev-parse', '--verify', 'HEAD');
  const release = await git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*');
  const mains = await Promise.all(['origin/main', 'main'].map((main) => git('merge-base', 'HEAD', main)));
  const before = mains.includes(head) ? await git('rev-parse', '--verify', '--quiet', 'HEAD^') : '';
  return [...new Set([release, ...mains, before].filter(Boolean))];
}
