import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What the program gets of the worker's environment, which holds secrets. */
const PASSED = ['PATH', 'HOME', 'LANG', 'TZ'];

/**
 * Runs a program with `input` on its standard input, without a shell. Returns what went wrong, null if
 * nothing did; throws the signal's reason.
 */
export async function runNoticeCommand(
  program: string,
  input: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  const env = Object.fromEntries(PASSED.map((name) => [name, process.env[name]]));
  const deadline = AbortSignal.timeout(timeoutMs);
  const child = spawn(program, [], {
    ...{ env, stdio: ['pipe', 'ignore', 'ignore'], killSignal: 'SIGKILL' },
    signal: AbortSignal.any([signal, deadline]),
  });
  // It need not read all of it.
  child.stdin?.on('error', () => undefined).end(input);
  try {
    const [code, killedBy] = await once(child, 'close');
    if (code === 0) return null;
    return code === null ? `it was ended by ${killedBy}` : `it ended with exit code ${code}`;
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return `it did not end within ${timeoutMs / 1000} s`;
    return `it cannot be run${error instanceof Error && 'code' in error ? ` (${error.code})` : ''}`;
  }
}
