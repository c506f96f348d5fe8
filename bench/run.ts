/**
 * `pnpm bench [NAME [PART …] [SIZE …]] [--keep] [--fresh]`: runs one bench, or all of them one after the
 * other, each in its own process, on the Node of the image; `benches/` has them. `pnpm bench report` makes
 * the pages' tables and pictures from what they have measured.
 *
 * Run again, it leaves out what it has measured of this code: a bench continues after its last finished part;
 * `--fresh` measures all of it again. With parts or sizes on the command line the figures are a try, which
 * stays in `.data/bench`; `--keep` puts them where the report finds them.
 */
import { spawnSync } from 'node:child_process';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OPTIONS, partsOf } from './bench.ts';
import { BENCHES } from './benches/all.ts';
import { writeReport } from './report/pages.ts';

/** A version of Node of the line that `deploy/Dockerfile` is built on. */
const VERSION = '26.10.0';

const REPORT = 'report';

const { positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
const [asked, ...words] = positionals;
const others = process.argv.slice(2).filter((argument) => argument !== asked);

/**
 * The Node that benches run on: the image's line, because the version of Node changes the figures more than
 * most of what is measured. This process's own if it is of that line or later; else npm's, which it keeps, or
 * if there is none either, this process's own.
 */
function imageNode(): string {
  if (Number.parseInt(process.versions.node, 10) >= Number.parseInt(VERSION, 10)) return process.execPath;
  const from = ['--yes', '--prefer-offline', `--package=node-${platform()}-${arch()}@${VERSION}`];
  const found = spawnSync('npx', [...from, 'node', '--print', 'process.execPath'], { encoding: 'utf8' });
  if (found.status === 0) return found.stdout.trim();
  console.log(`Node ${VERSION} does not run here, so this is measured on ${process.version}`);
  return process.execPath;
}

/** About how long a bench takes on 2 cores, in s. */
function secondsOf(bench: string): number {
  const declared = BENCHES[bench];
  const parts = declared === undefined ? [] : partsOf(declared, words).parts;
  return parts.reduce((sum, { seconds }) => sum + seconds, 0);
}

function runBenches(all: readonly string[]): void {
  const [node, program] = [imageNode(), join(import.meta.dirname, 'measure.ts')];
  for (const [index, bench] of all.entries()) {
    const seconds = all.slice(index).reduce((sum, one) => sum + secondsOf(one), 0);
    console.log(`\n${bench} (${index + 1} of ${all.length}; about ${Math.ceil(seconds / 60)} minutes left)`);
    const { status } = spawnSync(node, [program, bench, ...others], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}

if (asked === REPORT) {
  await writeReport(join(import.meta.dirname, '..'));
} else if (asked === undefined || BENCHES[asked] !== undefined) {
  runBenches(asked === undefined ? Object.keys(BENCHES) : [asked]);
} else {
  console.error(`unknown bench ${asked}; choose one of ${[...Object.keys(BENCHES), REPORT].join(', ')}`);
  process.exitCode = 2;
}
