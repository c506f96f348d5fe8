import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The variable of a file with the key of the content service's hooks, unless the environment has a key. The
 * first start makes the key, in a file that only its owner can read; commands in other terminals find it.
 */
export function hooksKeyOf(dataDir: string, env: NodeJS.ProcessEnv): Record<string, string> {
  if (env.CONTENT_HOOKS_KEY || env.CONTENT_HOOKS_KEY_FILE) return {};
  const file = path.join(dataDir, 'content-hooks-key');
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  }
  return { CONTENT_HOOKS_KEY_FILE: file };
}
