import { readFileSync } from 'node:fs';

/** The CPU time of a process, in µs. */
export interface CpuTime {
  user: number;
  system: number;
}

/** The length of a tick of `/proc/PID/stat` in µs: Linux shows 100 a second to programs. */
const TICK_US = 10_000;

/** The CPU time of a process and its threads since it started. Linux only; elsewhere both are 0. */
export function cpuTime(pid: number): CpuTime {
  const fields = fieldsOf(`/proc/${pid}/stat`);
  // Counted from the field after the name, which may contain spaces (proc_pid_stat(5)): 14 and 15.
  return { user: Number(fields[11] ?? 0) * TICK_US, system: Number(fields[12] ?? 0) * TICK_US };
}

/** The time that the hypervisor has taken from this machine since it started, in µs of one core. */
export function stolenTime(): number {
  const line = textOf('/proc/stat').split('\n')[0] ?? '';
  return Number(line.trim().split(/\s+/)[8] ?? 0) * TICK_US;
}

function fieldsOf(file: string): string[] {
  const text = textOf(file);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
