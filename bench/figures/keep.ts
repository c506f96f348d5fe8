import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machine } from '../machine.ts';
import type { Figure, FiguresFile } from './figure.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the figures of the default sizes are kept: committed. */
export const FIGURES = 'docs/figures';

/** Where the figures of a try are: not committed. */
const TRIES = '.data/bench';

/**
 * Prints the figures of a bench and writes them to `docs/figures/NAME.json`, or to `.data/bench/NAME.json` if
 * `pnpm bench` was called with sizes and without `--keep`.
 *
 * @param bench as the argument of `pnpm bench`: a name, with its sizes if these have their own file
 */
export function keepFigures(bench: string, figures: readonly Figure[]): void {
  console.table(figures.map(rowOf));
  const folder = join(ROOT, process.env.BENCH_KEEP === undefined ? TRIES : FIGURES);
  const { measuredAt, ...size } = machine();
  const file: FiguresFile = {
    bench,
    command: `pnpm bench ${argumentsOf(bench)}`,
    measured: { at: measuredAt, commit: measuredCommit(), ...size },
    figures,
  };
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${bench.replaceAll(' ', '-')}.json`);
  writeFileSync(path, figuresText(file));
  console.log(`The figures are in ${relative(process.cwd(), path)}\n`);
}

function rowOf({ what, subject, metric, median, quartiles, unit, at, aim }: Figure) {
  const where = Object.entries(at).join(' ');
  return {
    what,
    subject,
    metric,
    median: `${median} ${unit}`,
    quartiles: quartiles.join('–'),
    at: where,
    aim,
  };
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

/** The commit of the working tree, with `+` if anything else than figures and pages has changed since. */
function measuredCommit(): string {
  const commit = git('rev-parse', '--short=7', 'HEAD');
  if (commit === '') return 'unknown';
  const changed = git('status', '--porcelain', '--', '.', ':!docs', ':!README.md');
  return changed === '' ? commit : `${commit}+`;
}

/** The output of a Git command; empty outside a repository. */
function git(...parameters: string[]): string {
  return spawnSync('git', parameters, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() ?? '';
}
