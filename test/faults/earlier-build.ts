import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lastMigration, replaces } from '../../checks/migrations.ts';
import { ROOT } from '../support/command.ts';

const run = promisify(execFile);

/**
 * The commit to upgrade from: `UPGRADE_FROM`, else the last one with fewer migrations, all of which are
 * today's to the byte, or named in today's as what they were, and come before the others (migrations that
 * were edited or put between others before they were released would be refused). If the history does not
 * reach back to one, the first with all of today's.
 */
export async function earlierCommit(): Promise<string> {
  const { UPGRADE_FROM: wanted } = process.env;
  if (wanted) return (await git('rev-parse', '--verify', `${wanted}^{commit}`)).trim();
  const commits = (await git('log', '--format=%H', '--', 'migrations')).split('\n').filter(Boolean);
  for (const commit of commits) {
    const before = (await git('rev-parse', '--verify', '--quiet', `${commit}^`).catch(() => '')).trim();
    if (before === '') break;
    const changed = await git('diff', '--name-status', '--no-renames', before, '--', 'migrations/*.sql');
    const changes = changed.split('\n').filter(Boolean);
    const last = lastMigration(await git('ls-tree', '--name-only', before, 'migrations/'));
    const isLater = async (change: string) => {
      const [status, file = ''] = change.split('\t');
      return status === 'A' ? file > last : status === 'M' && replaces(ROOT, file, before);
    };
    const later = await Promise.all(changes.map(isLater));
    if (last !== '' && later.length > 0 && later.every(Boolean)) return before;
  }
  return commits[0] ?? 'HEAD';
}

/** A build of an earlier commit in its own directory. */
export class EarlierBuild {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** Clones the repository at `commit`, and installs what that depends on. */
  static async at(commit: string): Promise<EarlierBuild> {
    const build = new EarlierBuild(await mkdtemp(join(tmpdir(), 'pressroom-earlier-')));
    await git('clone', '--quiet', '--shared', '--no-checkout', ROOT, build.directory);
    await git('-C', build.directory, 'checkout', '--quiet', commit);
    const env = { ...process.env, CI: 'true' };
    const options = { cwd: build.directory, env, maxBuffer: 2 ** 26 };
    await run('npx', ['-y', 'pnpm@12', 'install', '--frozen-lockfile', '--prefer-offline'], options);
    return build;
  }

  /** Deletes it. */
  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-c', 'safe.directory=*', ...args], { cwd: ROOT });
  return stdout;
}
