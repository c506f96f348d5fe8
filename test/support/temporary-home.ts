import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a directory for what is started once and thrown away, and returns its path. Other accounts can enter
 * it: a PostgreSQL that root starts where its account cannot go keeps its files elsewhere, and they would
 * outlive the directory.
 */
export async function temporaryHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-'));
  await chmod(home, 0o755);
  return home;
}
