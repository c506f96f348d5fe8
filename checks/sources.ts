import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isGenerated } from './generated.ts';

/** TypeScript files: path relative to the repository's root, with `/`, to text. */
export type Sources = ReadonlyMap<string, string>;

/**
 * Reads every TypeScript file below the `src` folders of packages and services, generated ones excepted.
 * Throws if there are none.
 */
export async function readSources(root: string): Promise<Sources> {
  const sources = new Map<string, string>();
  for await (const file of glob('{packages,services}/*/src/**/*.{ts,tsx}', { cwd: root })) {
    const name = file.replaceAll('\\', '/');
    if (!isGenerated(name)) sources.set(name, await readFile(join(root, file), 'utf8'));
  }
  if (sources.size === 0) throw new Error(`no TypeScript in packages/*/src or services/*/src of ${root}`);
  return new Map([...sources].sort(([a], [b]) => (a < b ? -1 : 1)));
}
