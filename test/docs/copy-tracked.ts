import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Copies what git tracks, or would, in `root` to `target`: a clone of what is not committed yet. */
export async function copyTracked(root: string, target: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  await mkdir(target, { recursive: true });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await cp(path.join(root, file), path.join(target, file)).catch((error: NodeJS.ErrnoException) => {
      // Removed, but not yet in the index.
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
