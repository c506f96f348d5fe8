import { readdirSync, readFileSync } from 'node:fs';

/** The CPU time of a process, in µs. */
export interface CpuTime {
  user: number;
  system: number;
}

/** What a process and those that it started have used. For Linux, whose `/proc` says it. */
export interface Usage {
  cpuSeconds: number;
  /** Memory, in MiB; what they share is counted once. */
  memoryMiB: number;
}

/** The length of a tick of `/proc`, in µs: Linux shows 100 a second to programs. */
const TICK_US = 10_000;

/** The CPU time of a process and its threads since it started. Linux only; elsewhere both are 0. */
export function cpuTime(pid: number): CpuTime {
  // proc_pid_stat(5): 14 and 15.
  const [user = 0, system = 0] = statOf(pid).slice(11, 13);
  return { user: user * TICK_US, system: system * TICK_US };
}

/** The time that the hypervisor has taken from this machine since it started, in µs of one core. */
export function stolenTime(): number {
  const [line = ''] = textOf('/proc/stat').split('\n');
  return Number(line.trim().split(/\s+/)[8] ?? 0) * TICK_US;
}

/** The resident memory of a process, and the most that it has had, in MiB; 0 if it has ended. */
export function residentMemoryOf(pid: number): { now: number; peak: number } {
  const status = textOf(`/proc/${pid}/status`);
  const member = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { now: member('VmRSS'), peak: member('VmHWM') };
}

/** What a process, its children so far and their children use and have used. */
export function usageOf(root: number): Usage {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const stats = new Map(pids.map((pid) => [Number(pid), statOf(Number(pid))]));
  const family = new Set([root]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [pid, [, parent = 0]] of stats) if (family.has(parent)) family.add(pid);
  }
  const members = [...family];
  // User and system time, and those of children that have ended.
  const ticks = sum(members.flatMap((pid) => stats.get(pid)?.slice(11, 15) ?? []));
  return { cpuSeconds: (ticks * TICK_US) / 1e6, memoryMiB: sum(members.map(sharedMemoryOf)) };
}

function sharedMemoryOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

/** The fields of a process after its name, which may contain spaces; none if it has ended. */
function statOf(pid: number): number[] {
  const text = textOf(`/proc/${pid}/stat`);
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

/** The text of a file of `/proc`; empty if its process has ended. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
