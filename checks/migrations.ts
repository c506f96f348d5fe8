import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The migrations that differ from those of the last release, or of the last main, which databases may have
 * applied: a line each. Without git, or where a clone has neither, there is nothing to compare with.
 */
export async function migrationFaults(root: string): Promise<string[]> {
  const git = async (...args: string[]) => {
    const { stdout } = await run('git', ['-C', root, '-c', 'safe.directory=*', ...args]);
    return stdout.trim();
  };
  const orNone = (output: Promise<string>) => output.catch(() => '');
  const faults = new Set<string>();
  for (const base of await bases((...args) => orNone(git(...args)))) {
    const changes = await git('diff', '--name-status', '--no-renames', base, '--', 'migrations/*.sql');
    const last = (await git('ls-tree', '--name-only', base, 'migrations/')).split('\n').at(-1) ?? '';
    const untracked = await git('ls-files', '--others', '--exclude-standard', '--', 'migrations/*.sql');
    for (const line of changes.split('\n').filter(Boolean)) {
      const [status, file = ''] = line.split('\t');
      if (status !== 'A') faults.add(`${file} ${CHANGED}`);
      else if (file < last) faults.add(`${file} ${comesBefore(last)}`);
    }
    for (const file of untracked.split('\n').filter((file) => file && file < last)) {
      faults.add(`${file} ${comesBefore(last)}`);
    }
  }
  return [...faults].sort();
}

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
