/**
 * `pnpm bench moving [wordpress|ghost|json-lines] [MB …]`: the most memory that `content import` has, and how
 * long it takes, with files of 20 and 100 MB, each into an empty database.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { type BenchDatabase, onDatabase } from './database.ts';
import { type Figure, figureOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { exportOf, FORMATS } from './moving/export-files.ts';

/** The sizes that are measured unless the command line names others, in MB. */
const SIZES = [20, 100];

/** The most memory that an import may have, in MiB. */
const MOST_MIB = 300;

const chosen = process.argv.slice(2);
const named = Object.keys(FORMATS).filter((format) => chosen.includes(format));
const wanted = chosen.map(Number).filter(Number.isInteger);
const sizes = wanted.length > 0 ? wanted : SIZES;

/** Runs `content import`; returns the most resident memory that it had, in MiB, and how long it took. */
async function importing(url: string, args: readonly string[]) {
  const began = performance.now();
  const child = spawn(process.execPath, ['services/content/src/cli.ts', 'import', ...args], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, memory] = ['', 0];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said = `${said}${text}`.slice(-1000);
    });
  }
  const watch = setInterval(() => {
    memory = Math.max(memory, peakOf(child.pid));
  }, 200);
  const [code] = await once(child, 'close').finally(() => clearInterval(watch));
  if (code !== 0) throw new Error(`the import ended with ${code}: ${said}`);
  console.log(args.join(' '), `${Math.round(memory)} MiB:`, said.trim().split('\n').at(-1));
  return { memory, seconds: (performance.now() - began) / 1000 };
}

/** As Linux counts it; 0 for a process that is not there any more. */
function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function measure({ url, pool }: BenchDatabase, folder: string, format: string): Promise<Figure[]> {
  const { [format]: kind } = FORMATS;
  if (kind === undefined) return [];
  const figures: Figure[] = [];
  for (const mb of sizes) {
    await pool.query('truncate content.article, content.tag, content.author cascade');
    const file = join(folder, 'export');
    await pipeline(Readable.from(exportOf(kind, mb * 1e6)), createWriteStream(file));
    const { memory, seconds } = await importing(url, [...(format === 'json-lines' ? [] : [format]), file]);
    const label = { what: 'import', subject: format, at: { MB: mb } };
    figures.push(
      figureOf({ ...label, metric: 'memory', unit: 'MiB', aim: MOST_MIB }, [memory]),
      figureOf({ ...label, metric: 'time', unit: 's' }, [seconds]),
    );
  }
  return figures;
}

await onDatabase(async (database) => {
  const folder = await temporaryHome();
  const figures: Figure[] = [];
  try {
    for (const format of named.length > 0 ? named : Object.keys(FORMATS))
      figures.push(...(await measure(database, folder, format)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  keepFigures(['moving', ...chosen].join(' '), figures);
});
