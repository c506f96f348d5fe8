/**
 * The finished parts of benches, so that one that was interrupted can continue: a file for each in
 * `.data/bench/parts/TREE/BENCH`. TREE stands for the code of the working tree, since other code has other
 * figures.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './figure.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A part of a bench, which is measured in one go. */
export interface Part<Subject = unknown> {
  name: string;
  /** About how long it takes. */
  seconds: number;
  run(subject: Subject): Promise<Figure[]>;
}

/** Runs the parts that are not kept yet, saying how far it is, and returns the figures of all. */
export async function runParts<Subject>(
  bench: string,
  parts: readonly Part<Subject>[],
  start: () => Promise<Subject>,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [index, { name, run }] of parts.entries()) {
    const file = fileOfPart(bench, name);
    const left = parts.slice(index).filter((part) => !existsSync(fileOfPart(bench, part.name)));
    const minutes = Math.ceil(left.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
    const progress = existsSync(file) ? 'measured already' : `about ${minutes} minutes left`;
    console.log(`[${index + 1}/${parts.length}] ${name} (${progress})`);
    if (!existsSync(file)) {
      const measured = await run(await start());
      mkdirSync(folderOf(bench), { recursive: true });
      writeFileSync(file, JSON.stringify(measured));
    }
    figures.push(...JSON.parse(readFileSync(file, 'utf8')));
  }
  return figures;
}

/** Whether all parts have been measured of this working tree. */
export function isMeasured(bench: string, parts: readonly Pick<Part, 'name'>[]): boolean {
  return parts.every(({ name }) => existsSync(fileOfPart(bench, name)));
}

/** Forgets what a bench has measured of this working tree. */
export function forgetParts(bench: string): void {
  rmSync(folderOf(bench), { recursive: true, force: true });
}

function fileOfPart(bench: string, part: string): string {
  return join(folderOf(bench), `${part.replaceAll(/[^\w-]+/g, '-')}.json`);
}

let tree: string | undefined;

function folderOf(bench: string): string {
  tree ??= treeName();
  return join(ROOT, '.data/bench/parts', tree, bench.replaceAll(' ', '-'));
}

/** What can change a figure. */
const MEASURED = ['bench', 'packages', 'services', 'migrations', 'pnpm-lock.yaml', ':!bench/report'];

/** The name that Git gives to the code of the working tree, committed or not, by an index of its own. */
function treeName(): string {
  mkdirSync(join(ROOT, '.data/bench'), { recursive: true });
  const env = { ...process.env, GIT_INDEX_FILE: join(ROOT, '.data/bench/index') };
  const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: ROOT, env });
  git('add', '--all', '--', ...MEASURED);
  return git('write-tree').toString().slice(0, 12);
}
