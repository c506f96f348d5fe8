import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE, mustRun, ROOT } from './programs.ts';

/**
 * Installs exactly what the lockfile in the folder of a check lists if necessary, and returns the folder
 * above its `node_modules`. Throws if a package cannot be installed.
 */
export async function npmPrograms(check: string): Promise<string> {
  const folder = join(import.meta.dirname, '..', check);
  const lock = await readFile(join(folder, 'package-lock.json'));
  const home = join(CACHE, `${check}-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
  const made = join(home, 'made');
  if (existsSync(made)) return home;
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) await cp(join(folder, name), join(home, name));
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=5', '--loglevel=error'];
  await mustRun('npm', ['ci', ...quiet], { cwd: home, env: { INIT_CWD: ROOT }, timeoutMs: 300_000 });
  await writeFile(made, '');
  return home;
}
