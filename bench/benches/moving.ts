import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { temporaryHome } from '../../test/support/temporary-home.ts';
import type { Bench } from '../bench.ts';
import { openDatabase } from '../database.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { select } from '../figures/read.ts';
import { exportOf, FORMATS, type FormatName } from '../moving/export-files.ts';
import { measuredTables, shortfalls } from '../report/measured.ts';
import { printed, sectionOf } from '../report/section.ts';
import { peakMemory } from '../server.ts';
import { residentMemoryOf } from '../usage.ts';

/** The sizes that are measured unless the command line names others, in MB. */
const SIZES = [20, 100];

const MOST_MIB = 300;

/** Runs `content import`; returns the most resident memory that it had, in MiB, and how long it took. */
function importing(url: string, args: readonly string[]) {
  const child = spawn(process.execPath, ['services/content/src/cli.ts', 'import', ...args], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const residentMemory = () => residentMemoryOf(child.pid ?? 0).peak;
  return peakMemory({ residentMemory }, async () => {
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    if (code !== 0) throw new Error(`the import ended with ${code}: ${said.slice(-1000)}`);
    console.log(args.join(' '), said.trim().split('\n').at(-1));
  });
}

async function measure(format: FormatName, MB: number): Promise<Figure[]> {
  await using database = await openDatabase();
  const folder = await temporaryHome();
  try {
    const file = join(folder, 'export');
    await pipeline(Readable.from(exportOf(FORMATS[format], MB * 1e6)), createWriteStream(file));
    const args = format === 'json-lines' ? [file] : [format, file];
    const { ms, peak } = await importing(database.url, args);
    const figure = figuresOf(format, { MB });
    return [figure('import', 'memory', 'MiB', peak, MOST_MIB), figure('import', 'time', 's', ms / 1000)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With other sizes, which take hours. */
const KEPT = ['moving', 'moving ghost 2000', 'moving json-lines 2000'];

/** Needs of imports, the most memory first. */
function movingTables(figures: readonly Figure[]): string[] {
  const worstFirst = select(figures, { metric: 'memory' }).toSorted((a, b) => b.median - a.median);
  const rows = worstFirst.flatMap(({ subject, at }) => {
    const what = `${subject}, ${printed(Number(at.MB))} MB`;
    return select(figures, { subject, at }).map((figure) => ({ ...figure, what }));
  });
  return [measuredTables(rows), shortfalls(figures)];
}

/**
 * `pnpm bench moving [wordpress|ghost|json-lines] [MB …]`: the most memory that `content import` has, and how
 * long it takes, with files of these sizes, each into an empty database.
 */
export const moving: Bench = {
  parts: (sizes) =>
    (Object.keys(FORMATS) as FormatName[]).flatMap((format) =>
      (sizes.length > 0 ? sizes : SIZES).map((MB) => ({
        name: `${format} ${MB}`,
        seconds: 10 + MB,
        run: () => measure(format, MB),
      })),
    ),
  sections: { moving: sectionOf(KEPT, movingTables) },
};
