import { spawnSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The pages whose commands a reader would type. */
const PAGES = ['README.md', 'docs/*.md', 'bench/results/*.md', 'deploy/*.md'];

/** A page, and the commands that it prints for a shell, in order. */
export interface PrintedPage {
  readonly page: string;
  readonly commands: readonly string[];
}

/** Every page that prints commands. */
export async function printedPages(root: string): Promise<PrintedPage[]> {
  const pages = (await Array.fromAsync(glob(PAGES, { cwd: root }))).sort();
  const printed = pages.map(async (page) => {
    const text = await readFile(path.join(root, page), 'utf8');
    const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? '');
    return { page, commands: blocks.flatMap(commandsOf) };
  });
  return (await Promise.all(printed)).filter(({ commands }) => commands.length > 0);
}

/** Splits a block into commands, of which one may have several lines. */
export function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let begun = '';
  for (const line of block.split('\n')) {
    begun += begun === '' ? line : `\n${line}`;
    if (begun.trim() === '' || begun.startsWith('#')) begun = '';
    else if (isWhole(begun)) commands.push(begun.trim());
    else continue;
    begun = '';
  }
  if (begun !== '') throw new Error(`not a whole command: ${begun}`);
  return commands;
}

/** Bash refuses what is not finished, and warns of a here-document without its end. */
function isWhole(command: string): boolean {
  if (/(\\|\|)$/.test(command)) return false;
  const { status, stderr } = spawnSync('bash', ['-n', '-c', command], { encoding: 'utf8' });
  return status === 0 && stderr === '';
}
