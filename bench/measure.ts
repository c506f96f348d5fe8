/** `measure.ts NAME [PART …] [SIZE …]`: measures a bench in this process, and keeps its figures. */
import { partsOf } from './bench.ts';
import { BENCHES } from './benches/all.ts';
import { keepFigures } from './figures/keep.ts';
import { isMeasured, runParts } from './figures/parts.ts';

const [name = '', ...words] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) throw new Error(`unknown bench ${name}`);
const { sizes, parts } = partsOf(bench, words);
if (parts.length === 0) throw new Error(`${name} has no part ${words.join(' or ')}`);

const command = [name, ...words].join(' ');
let subject: Promise<AsyncDisposable> | undefined;
const start = async () => {
  subject ??= bench.start?.(sizes);
  return subject;
};
try {
  if (isMeasured(command, parts)) console.log('measured already; --fresh does it again');
  else keepFigures(command, await runParts(command, parts, start));
} finally {
  await (await subject)?.[Symbol.asyncDispose]();
}
// Does not wait for what a bench may have left: connections, timers, the standard streams.
process.exit();
