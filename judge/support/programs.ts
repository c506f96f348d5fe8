import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Tool } from '../judge.ts';
import { killAtExit } from './ending.ts';

/** The repository. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Where what judges install and build is kept between runs: outside of version control. */
export const CACHE = process.env.JUDGE_CACHE ?? join(ROOT, '.data', 'judge');

/** How each tool says that it is there. */
const PROOF: Record<Tool, readonly string[]> = {
  go: ['version'],
  python3: ['-c', 'import ensurepip, venv'],
};

/** Whether a tool can be run here. */
export function isInstalled(tool: Tool): boolean {
  return spawnSync(tool, PROOF[tool], { stdio: 'ignore' }).status === 0;
}

/** How a program ended, and what it printed. */
export interface Ended {
  /** The exit code; null when it was killed, for its time too. */
  code: number | null;
  out: string;
  err: string;
}

/** How a program is run. */
export interface Running {
  cwd?: string;
  /** Added to this process's environment. */
  env?: Record<string, string>;
  input?: string;
  /** After which it is killed, in ms. */
  timeoutMs: number;
}

/** Runs a program to its end, at most for its time. Throws when it cannot be started. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd = ROOT, env = {}, input = '', timeoutMs }: Running,
): Promise<Ended> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const forget = killAtExit(() => child.kill('SIGKILL'));
  // A program that reads nothing may be gone before its input.
  child.stdin.on('error', () => undefined).end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  forget();
  return { code, out, err };
}

/** Runs a program that has to succeed and returns what it printed. Throws with its last words when it fails. */
export async function mustRun(program: string, args: readonly string[], running: Running): Promise<string> {
  const { code, out, err } = await runProgram(program, args, running);
  if (code === 0) return out;
  const words = `${out}\n${err}`.trim().split('\n').slice(-20).join('\n');
  throw new Error(`${program} ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${words}`);
}
