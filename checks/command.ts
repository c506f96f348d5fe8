import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Runs a program of `node_modules/.bin` in `root`. Resolves to an empty list if it exits with 0, else to the
 * lines that it wrote. Throws if the program cannot be started.
 */
export async function runCommand(root: string, program: string, args: readonly string[]): Promise<string[]> {
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code === 0) return [];
  const lines = `${out}\n${err}`.split('\n').filter((line) => line.trim() !== '');
  return [...lines, `${program} ended with ${signal ?? code}`];
}
