import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../.data/bench/debian');

const ROOT = join(FOLDER, 'root');

/** Packages for WordPress, and the MariaDB that Ghost uses as well. */
const PACKAGES = ['mariadb-server', 'nginx-light', 'php-fpm', 'php-mysql', 'wordpress'];

/** The libraries of this machine's architecture, in {@link ROOT}. */
const LIBRARIES = join(ROOT, 'usr/lib', `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`);

/** The environment in which programs of the packages find each other and their libraries. */
export const DEBIAN_ENV: Readonly<Record<string, string>> = {
  PATH: `${ROOT}/usr/sbin:${ROOT}/usr/bin:${process.env.PATH}:/usr/sbin`,
  LD_LIBRARY_PATH: LIBRARIES,
};

/** A file of the packages where they are unpacked, or that of a machine which has had its package before. */
export function debianFile(path: string): string {
  return existsSync(join(ROOT, path)) ? join(ROOT, path) : path;
}

/**
 * Fetches the packages with all that this machine lacks of what they need, and unpacks them into `.data`:
 * nothing is installed, so no service starts and no rights are needed. Throws where there is no apt, or it
 * cannot fetch.
 */
export function unpackDebian(): void {
  if (existsSync(ROOT)) return;
  console.log("fetching Debian's packages of MariaDB, PHP and WordPress, a minute");
  const archives = join(FOLDER, 'archives');
  mkdirSync(archives, { recursive: true });
  const at = { cwd: archives, env: process.env };
  const simulated = ['--simulate', '--no-install-recommends', 'install', ...PACKAGES];
  const plan = runDebian('apt-get', simulated, at);
  const lacking = Array.from(plan.matchAll(/^Inst (\S+)/gm), ([, name = '']) => name);
  // WordPress in any case: it gets its settings where it is unpacked.
  runDebian('apt-get', ['download', ...new Set([...lacking, 'wordpress'])], at);
  const unpacked = join(FOLDER, 'unpacking');
  rmSync(unpacked, { recursive: true, force: true });
  for (const archive of readdirSync(archives)) runDebian('dpkg-deb', ['--extract', archive, unpacked], at);
  renameSync(unpacked, ROOT);
}

/** Runs a program to its end, one of the packages unless an environment is named, and returns its output. */
export function runDebian(
  program: string,
  parameters: readonly string[],
  options: SpawnSyncOptions = {},
): string {
  const all = { env: DEBIAN_ENV, ...options, encoding: 'utf8' } as const;
  const { status, stdout, stderr, error } = spawnSync(program, parameters, all);
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? `${stderr}${stdout}`.trim()}`);
  return stdout.trim();
}
