import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import type { Figure, FiguresFile, Measured } from './figure.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Folder of the figures of the default sizes: committed. */
export const FIGURES = 'docs/figures';

/** Folder of the figures of a try: not committed. */
const TRIES = '.data/bench';

/**
 * Prints the figures of a bench and writes them to `docs/figures/NAME.json`, or to `.data/bench/NAME.json` if
 * pages do not show them.
 *
 * @param bench the arguments of `pnpm bench`: a name, and its parts and sizes if it does not measure all
 */
export function keepFigures(bench: string, figures: readonly Figure[], isShown: boolean): void {
  console.table(figures.map(rowOf));
  const folder = join(ROOT, isShown ? FIGURES : TRIES);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${bench.replaceAll(' ', '-')}.json`);
  const command = `pnpm bench ${argumentsOf(bench)}`;
  writeFileSync(path, figuresText({ bench, command, measured: measuredNow(), figures }));
  console.log(`The figures are in ${relative(process.cwd(), path)}\n`);
}

function rowOf({ median, quartiles, unit, at, rounds: _, ...figure }: Figure) {
  const where = Object.entries(at).join(' ');
  return { ...figure, median: `${median} ${unit}`, quartiles: quartiles.join('–'), at: where };
}

/** The arguments with which `pnpm bench` keeps the figures of a bench: others would be a try. */
export function argumentsOf(bench: string): string {
  return bench.includes(' ') ? `${bench} --keep` : bench;
}

/** The text of a file of figures: a line for each, so that a diff shows which have changed. */
export function figuresText({ figures, ...head }: FiguresFile): string {
  const lines = figures.map((figure) => `    ${JSON.stringify(figure)}`);
  const text = JSON.stringify({ ...head, figures: [] }, null, 2);
  return `${text.replace('"figures": []', () => `"figures": [\n${lines.join(',\n')}\n  ]`)}\n`;
}

function measuredNow(): Measured {
  return {
    at: new Date().toISOString(),
    commit: measuredCommit(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
}

/** The commit of the working tree, with `+` if anything else than figures and pages has changed since. */
function measuredCommit(): string {
  const git = (...parameters: string[]) =>
    spawnSync('git', parameters, { cwd: ROOT, encoding: 'utf8' }).stdout;
  const commit = git('rev-parse', '--short=7', 'HEAD')?.trim() || 'unknown';
  return git('status', '--porcelain', '--', '.', ':!docs', ':!README.md') ? `${commit}+` : commit;
}
