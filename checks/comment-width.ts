import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { isGenerated } from './generated.ts';

/** The TypeScript and SQL of the repository. */
const FILES =
  '{*.ts,{packages,services}/*/src/**/*.{ts,tsx,sql},{test,bench,checks,conformance}/**/*.ts,migrations/*.sql}';

/**
 * Finds the comment lines of TypeScript and SQL that are wider than the formatter's `lineWidth`
 * (`biome.json`).
 */
export async function commentWidthFaults(root: string): Promise<string[]> {
  const width = lineWidth(await readFile(join(root, 'biome.json'), 'utf8'));
  const files = await Array.fromAsync(glob(FILES, { cwd: root, exclude: ['**/node_modules/**'] }));
  const faults = files
    .filter((file) => !isGenerated(file.replaceAll('\\', '/')))
    .sort()
    .map(async (file) => wideComments(file, await readFile(join(root, file), 'utf8'), width));
  return (await Promise.all(faults)).flat();
}

/**
 * The comment lines of `source` that are wider than `width` columns, as `file:line: …`. Lines with a URL that
 * leaves no room, and the code of an `@example`, may be wider.
 */
export function wideComments(file: string, source: string, width: number): string[] {
  const lines = source.split('\n');
  const wide = [...commentLines(file, source)].filter((number) => {
    const line = lines[number - 1] ?? '';
    return [...line].length > width && !/https?:\/\/\S{40,}/.test(line);
  });
  return wide.map((number) => `${file}:${number}: the comment is wider than ${width} columns; wrap it`);
}

/** The numbers, from 1, of the lines on which a comment is; without the examples in doc comments. */
function commentLines(file: string, source: string): Set<number> {
  const numbers = new Set<number>();
  for (const { start, text } of file.endsWith('.sql') ? sqlComments(source) : comments(file, source)) {
    const first = source.slice(0, start).split('\n').length;
    let inExample = false;
    for (const [index, line] of text.split('\n').entries()) {
      const tag = /^\s*\* @(\w+)/.exec(line)?.[1];
      if (tag !== undefined) inExample = tag === 'example';
      if (!inExample) numbers.add(first + index);
    }
  }
  return numbers;
}

type Comment = { readonly start: number; readonly text: string };

function comments(file: string, source: string): Comment[] {
  return parseSync(file, source).comments.map(({ start, value }) => ({ start, text: value }));
}

/** Line comments with no code before them; there are no others. */
function sqlComments(source: string): Comment[] {
  return [...source.matchAll(/^[ \t]*--.*$/gm)].map(({ index, 0: text }) => ({ start: index, text }));
}

function lineWidth(biome: string): number {
  const { formatter }: { formatter?: { lineWidth?: unknown } } = JSON.parse(biome);
  const width = formatter?.lineWidth;
  if (typeof width !== 'number') throw new Error('biome.json has no formatter.lineWidth');
  return width;
}
