/**
 * `pnpm bench [NAME [SIZE …]] [--keep] [--fresh]`: runs one bench, or all of them one after the other, each
 * in its own process, on the Node of the image. `pnpm bench report` makes the pages' tables and pictures
 * from what they have measured.
 *
 * Run again, it leaves out what it has measured of this commit, and a bench of several parts continues after
 * the last one; `--fresh` measures all of it again. With sizes on the command line the figures are a try,
 * which stays in `.data/bench`; `--keep` puts them where the report finds them.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { forgetParts, keepPart, keptPart } from './figures/parts.ts';
import { imageNode } from './image-node.ts';

/** The benches with the minutes that each takes on 2 cores; the file of each one describes its sizes. */
const MINUTES: Readonly<Record<string, number>> = {
  content: 5,
  reading: 3,
  selected: 2,
  gallery: 4,
  'login-flood': 1,
  'media-flood': 3,
  stories: 1,
  newsroom: 6,
  growth: 6,
  worst: 5,
  moving: 6,
  scaling: 1,
  fast: 1,
  idle: 5,
  start: 2,
  page: 6,
  peers: 7,
  'gallery-peers': 2,
  'news-peers': 6,
};

/** Run by name only. */
const REPORT = 'report';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'boolean', default: false }, fresh: { type: 'boolean', default: false } },
});
const [name, ...sizes] = positionals;
if (name !== undefined && name !== REPORT && MINUTES[name] === undefined) {
  console.error(`unknown bench ${name}; choose one of ${[...Object.keys(MINUTES), REPORT].join(', ')}`);
  process.exit(2);
}
const node = imageNode();

/** Runs one bench; whether it succeeded. */
function run(bench: string): boolean {
  const program = fileURLToPath(new URL(`${bench}-run.ts`, import.meta.url));
  const keep = values.keep || sizes.length === 0;
  const env = { ...process.env, ...(keep && { BENCH_KEEP: 'true' }) };
  return spawnSync(node, [program, ...sizes], { stdio: 'inherit', env }).status === 0;
}

/** The benches that are still to be run, of those that were asked for. */
function benchesToRun(): string[] {
  const asked = name === undefined ? Object.keys(MINUTES) : [name];
  if (values.fresh) for (const bench of asked) forgetParts(bench);
  const measured = asked.filter((bench) => keptPart(bench, `all ${sizes.join(' ')}`) !== undefined);
  if (measured.length > 0) console.log(`measured already, --fresh does it again: ${measured.join(', ')}`);
  return asked.filter((bench) => !measured.includes(bench));
}

if (name === REPORT) {
  if (!run(REPORT)) process.exitCode = 1;
} else {
  const benches = benchesToRun();
  const minutes = (left: readonly string[]) => left.reduce((sum, bench) => sum + (MINUTES[bench] ?? 0), 0);
  for (const [index, bench] of benches.entries()) {
    const left = benches.slice(index);
    console.log(`\n${bench} (${index + 1} of ${benches.length}; about ${minutes(left)} minutes left)`);
    if (run(bench)) keepPart(bench, `all ${sizes.join(' ')}`, true);
    else process.exitCode = 1;
  }
}
