import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** CPU time, in µs. */
interface CpuTime {
  user: number;
  system: number;
  both: number;
}

/** The length of a tick of `/proc`, in µs: Linux shows 100 a second to programs. */
const TICK_US = 10_000;

/**
 * Returns what tells how much CPU time a process, its children so far and their children have taken from now
 * on: none if there is no process, or no Linux, whose `/proc` says it.
 */
export function cpuTimer(pid?: number): () => CpuTime {
  const before = cpuTicks(pid);
  return () => {
    const now = cpuTicks(pid);
    const [user = 0, system = 0] = now.map((ticks, kind) => (ticks - (before[kind] ?? 0)) * TICK_US);
    return { user, system, both: user + system };
  };
}

function cpuTicks(pid?: number): number[] {
  const stats = pid === undefined ? [] : [...familyOf(pid).values()];
  // proc_pid_stat(5): 14 and 15, and 16 and 17 of children that have ended.
  return [11, 12].map((field) => sum(stats.flatMap((stat) => [stat[field] ?? 0, stat[field + 2] ?? 0])));
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

/** The memory of a process, its children and their children, in MiB; what they share is counted once. */
export function familyMemoryOf(pid: number): number {
  return sum([...familyOf(pid).keys()].map(sharedMemoryOf));
}

/** The fields of a process, its children and their children, by their ids. */
function familyOf(root: number): Map<number, number[]> {
  const names = existsSync('/proc') ? readdirSync('/proc') : [];
  const pids = names.filter((name) => /^\d+$/.test(name));
  const stats = new Map(pids.map((pid) => [Number(pid), statOf(Number(pid))]));
  const family = new Set([root]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [pid, [, parent = 0]] of stats) if (family.has(parent)) family.add(pid);
  }
  return new Map([...stats].filter(([pid]) => family.has(pid)));
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
