import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE, mustRun } from './programs.ts';

/** The conformance checks' packages with their versions, including dependencies. */
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

/** Environments that are made or being made: the checks run beside each other. */
const environments = new Map<string, Promise<string>>();

/**
 * Creates a virtual environment of `python` with exactly what `requirements` lists if necessary, and returns
 * its folder of programs. Throws if a package cannot be installed.
 */
export function pythonPrograms(requirements = REQUIREMENTS, python = 'python3'): Promise<string> {
  const made = environments.get(requirements) ?? makeEnvironment(requirements, python);
  environments.set(requirements, made);
  return made;
}

async function makeEnvironment(requirements: string, python: string): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 16);
  const home = join(CACHE, `python-${hash}`);
  const made = join(home, 'made');
  const programs = join(home, 'bin');
  if (existsSync(made)) return programs;
  await rm(home, { recursive: true, force: true });
  await mustRun(python, ['-m', 'venv', home], { timeoutMs: 120_000 });
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--retries',
    '10',
    '--no-deps',
    '-r',
  ];
  await mustRun(join(programs, 'python'), [...install, requirements], { timeoutMs: 300_000 });
  await writeFile(made, '');
  return programs;
}
