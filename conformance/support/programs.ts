import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Tool } from '../check.ts';
import { killAtExit } from './ending.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

/** The programs that checks install and build, kept between runs outside version control. */
export const CACHE = process.env.CONFORMANCE_CACHE ?? join(ROOT, '.data', 'conformance');

/** The command that shows that a tool is installed. */
const PROOF: Record<Tool, readonly string[]> = {
  go: ['version'],
  nginx: ['-v'],
  python3: ['-c', 'import ensurepip, venv'],
};

export function isInstalled(tool: Tool): boolean {
  // Debian keeps nginx where only root's PATH leads.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  return spawnSync(tool, PROOF[tool], { env, stdio: 'ignore' }).status === 0;
}

/** The exit code and the output of a program. */
export interface Ended {
  /** The exit code; null if it was killed, for example at its time limit. */
  code: number | null;
  out: string;
  err: string;
}

export interface Running {
  cwd?: string;
  /** Added to this process's environment. */
  env?: Record<string, string>;
  input?: string;
  /** The time limit, after which it is killed, in ms. */
  timeoutMs: number;
}

/** Runs a program until it ends or reaches its time limit. Throws if it cannot be started. */
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
  // A program that does not read its input may end before it is written.
  child.stdin.on('error', () => undefined).end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  forget();
  return { code, out, err };
}

/**
 * Runs a program that must succeed and returns its output. If it fails, throws with the end of its output.
 */
export async function mustRun(program: string, args: readonly string[], running: Running): Promise<string> {
  const { code, out, err } = await runProgram(program, args, running);
  if (code === 0) return out;
  const words = `${out}\n${err}`.trim().split('\n').slice(-20).join('\n');
  throw new Error(`${program} ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${words}`);
}
