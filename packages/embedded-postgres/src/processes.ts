import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const hasProc = process.platform === 'linux';

/** True if the process of this id runs; on Linux, one that has ended and was not waited for does not. */
export function isRunning(pid: number): boolean {
  if (hasProc) return commandLine(pid) !== '';
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Program and arguments of a process, each followed by a space; empty if there is no such process. */
export function commandLine(pid: number): string {
  try {
    if (hasProc) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return `${ps('args=', pid)} `;
  } catch {
    return '';
  }
}

/** The id of a process's parent; `undefined` when there is no such process. */
export function parentOf(pid: number): number | undefined {
  try {
    const parent = hasProc
      ? /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : ps('ppid=', pid);
    return parent ? Number(parent) : undefined;
  } catch {
    return undefined;
  }
}

function ps(format: string, pid: number): string {
  return execFileSync('ps', ['-ww', '-o', format, '-p', String(pid)], { encoding: 'utf8' }).trim();
}
