/**
 * The finished parts of benches, so that one that was interrupted can continue: a file for each in
 * `.data/bench/parts/TREE/BENCH`. TREE stands for the code of the working tree, since other code has other
 * figures.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  for (const [index, part] of parts.entries()) {
    const kept = keptPart(bench, part.name) as Figure[] | undefined;
    const left = parts.slice(index).filter(({ name }) => keptPart(bench, name) === undefined);
    const minutes = Math.ceil(left.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
    const progress = kept === undefined ? `about ${minutes} minutes left` : 'measured already';
    console.log(`[${index + 1}/${parts.length}] ${part.name} (${progress})`);
    const measured = kept ?? (await part.run(await start()));
    if (kept === undefined) keepPart(bench, part.name, measured);
    figures.push(...measured);
  }
  return figures;
}

/** What a part has measured of this working tree, or undefined. */
export function keptPart(bench: string, part: string): unknown {
  try {
    return JSON.parse(readFileSync(fileOfPart(bench, part), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Keeps what a part has measured. */
export function keepPart(bench: string, part: string, value: unknown): void {
  mkdirSync(folderOf(bench), { recursive: true });
  writeFileSync(fileOfPart(bench, part), JSON.stringify(value));
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

/** A name for the code of the working tree as it is, committed or not. */
function treeName(): string {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...MEASURED];
  const { stdout } = spawnSync('git', listed, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const hash = createHash('sha256');
  for (const file of (stdout ?? '').split('\n').filter((name) => existsSync(join(ROOT, name)))) {
    hash.update(file);
    if (file !== '' && statSync(join(ROOT, file)).isFile()) hash.update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex').slice(0, 12);
}
