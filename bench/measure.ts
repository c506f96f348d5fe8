/**
 * `measure.ts NAME [PART …] [SIZE …] [--keep] [--fresh]`: measures a bench in this process, and keeps its
 * figures.
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { OPTIONS, partsOf } from './bench.ts';
import { BENCHES } from './benches/all.ts';
import { keepFigures } from './figures/keep.ts';
import { folderOfParts, runParts } from './figures/parts.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
const [name = '', ...words] = positionals;
const bench = BENCHES[name];
if (bench === undefined) throw new Error(`unknown bench ${name}`);
const { sizes, parts } = partsOf(bench, words);
if (parts.length === 0) throw new Error(`${name} has no part ${words.join(' or ')}`);

const command = [name, ...words].join(' ');
const folder = folderOfParts(command);
if (values.fresh) rmSync(folder, { recursive: true, force: true });
{
  await using resources = new AsyncDisposableStack();
  const figures = await runParts(folder, parts, async () => bench.start?.(sizes, resources));
  if (figures === undefined) console.log('measured already; --fresh does it again');
  else keepFigures(command, figures, values.keep || words.length === 0);
}
// Does not wait for what a bench may have left: connections, timers, the standard streams.
process.exit();
