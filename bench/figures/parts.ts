import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './figure.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A part of a bench, which is measured in one go. */
export interface Part<Subject = unknown> {
  name: string;
  seconds: number;
  run(subject: Subject): Promise<Figure[]>;
}

/**
 * Runs the parts whose figures are not in the folder, where each has a file once it is finished, so that a
 * bench that was interrupted can continue. Returns the figures of all; undefined if none had to be run.
 */
export async function runParts<Subject>(
  folder: string,
  parts: readonly Part<Subject>[],
  start: () => Promise<Subject>,
): Promise<Figure[] | undefined> {
  mkdirSync(folder, { recursive: true });
  const fileOf = ({ name }: Part<Subject>) => join(folder, `${name.replaceAll(/[^\w-]+/g, '-')}.json`);
  if (parts.every((part) => existsSync(fileOf(part)))) return undefined;
  let subject: Promise<Subject> | undefined;
  for (const [index, part] of parts.entries()) {
    const isFinished = existsSync(fileOf(part));
    console.log(`[${index + 1}/${parts.length}] ${part.name}${isFinished ? ' (measured already)' : ''}`);
    if (isFinished) continue;
    subject ??= start();
    writeFileSync(fileOf(part), JSON.stringify(await part.run(await subject)));
  }
  return parts.flatMap((part): Figure[] => JSON.parse(readFileSync(fileOf(part), 'utf8')));
}

const MEASURED = ['bench', 'packages', 'services', 'migrations', 'pnpm-lock.yaml', ':!bench/report'];

/**
 * The folder of the parts of a bench: one for each state of the code, since other code has other figures. Git
 * names the state of the working tree, committed or not, by an index of its own.
 */
export function folderOfParts(bench: string): string {
  const data = join(ROOT, '.data/bench');
  mkdirSync(data, { recursive: true });
  const env = { ...process.env, GIT_INDEX_FILE: join(data, 'index') };
  const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: ROOT, env });
  git('add', '--all', '--', ...MEASURED);
  const tree = git('write-tree').toString().slice(0, 12);
  return join(data, 'parts', tree, bench.replaceAll(' ', '-'));
}
