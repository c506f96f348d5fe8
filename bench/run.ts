/**
 * `pnpm bench [NAME [PART …] [SIZE …]] [--keep] [--fresh]`: runs one bench, or all of them one after the
 * other, each in its own process, on the Node of the image; `benches/` has them. `pnpm bench report` makes
 * the pages' tables and pictures from what they have measured.
 *
 * Run again, it leaves out what it has measured of this commit, and a bench continues after its last finished
 * part; `--fresh` measures all of it again. With parts or sizes on the command line the figures are a try,
 * which stays in `.data/bench`; `--keep` puts them where the report finds them.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { partsOf } from './bench.ts';
import { BENCHES } from './benches/all.ts';
import { forgetParts, keepPart, keptPart } from './figures/parts.ts';
import { imageNode } from './image-node.ts';
import { writeReport } from './report/pages.ts';

/** Run by name only. */
const REPORT = 'report';

/** The part that stands for all of them. */
const ALL = 'all';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'boolean', default: false }, fresh: { type: 'boolean', default: false } },
});
const [asked, ...words] = positionals;

/** The arguments of `pnpm bench` for a bench: its name, with what else was asked for. */
const namedAs = (bench: string) => [bench, ...words].join(' ');

/** About how long a bench takes on 2 cores, in s. */
function secondsOf(bench: string): number {
  const declared = BENCHES[bench];
  const parts = declared === undefined ? [] : partsOf(declared, words).parts;
  return parts.reduce((sum, { seconds }) => sum + seconds, 0);
}

function runBenches(): void {
  const all = asked === undefined ? Object.keys(BENCHES) : [asked];
  if (values.fresh) for (const bench of all) forgetParts(namedAs(bench));
  const measured = all.filter((bench) => keptPart(namedAs(bench), ALL) !== undefined);
  if (measured.length > 0) console.log(`measured already, --fresh does it again: ${measured.join(', ')}`);
  const left = all.filter((bench) => !measured.includes(bench));
  const keep = values.keep || words.length === 0;
  const env = { ...process.env, ...(keep && { BENCH_KEEP: 'true' }) };
  const [node, program] = [imageNode(), join(import.meta.dirname, 'measure.ts')];
  for (const [index, bench] of left.entries()) {
    const seconds = left.slice(index).reduce((sum, one) => sum + secondsOf(one), 0);
    const minutes = Math.ceil(seconds / 60);
    console.log(`\n${bench} (${index + 1} of ${left.length}; about ${minutes} minutes left)`);
    if (spawnSync(node, [program, bench, ...words], { stdio: 'inherit', env }).status === 0)
      keepPart(namedAs(bench), ALL, true);
    else process.exitCode = 1;
  }
}

if (asked === REPORT) {
  await writeReport(join(import.meta.dirname, '..'));
} else if (asked === undefined || BENCHES[asked] !== undefined) {
  runBenches();
} else {
  console.error(`unknown bench ${asked}; choose one of ${[...Object.keys(BENCHES), REPORT].join(', ')}`);
  process.exitCode = 2;
}
