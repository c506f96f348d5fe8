import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A version of Node of the line that `deploy/Dockerfile` is built on. */
const VERSION = '26.10.0';

const FOLDER = fileURLToPath(new URL('../.data/bench/node', import.meta.url));

/**
 * The Node that benches run on: the image's line, because the version of Node changes the figures more than
 * most of what is measured. Returns this process's own if it is of that line or later; else installs it from
 * npm into `.data` once. If neither is possible, says so and returns this process's own.
 */
export function imageNode(): string {
  if (major(process.versions.node) >= major(VERSION)) return process.execPath;
  const name = `node-${platform()}-${arch()}`;
  const program = `${FOLDER}/node_modules/${name}/bin/node`;
  if (!existsSync(program)) {
    console.log(`installing Node ${VERSION}, the line of the image`);
    spawnSync('npm', ['install', '--silent', '--no-save', '--prefix', FOLDER, `${name}@${VERSION}`]);
  }
  if (spawnSync(program, ['--version']).status === 0) return program;
  console.log(`Node ${VERSION} does not run here, so this is measured on ${process.version}`);
  return process.execPath;
}

function major(version: string): number {
  return Number.parseInt(version, 10);
}
