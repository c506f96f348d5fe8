import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** CPU time, in µs. */
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

/** The CPU time of processes, their children so far and their children. Linux only; elsewhere both are 0. */
export function cpuTime(pids: readonly number[]): CpuTime {
  const stats = pids.flatMap((pid) => [...familyOf(pid).values()]);
  // proc_pid_stat(5): 14 and 15, and 16 and 17 of children that have ended.
  const [user = 0, system = 0] = [11, 12].map((field) => {
    return sum(stats.flatMap((stat) => [stat[field] ?? 0, stat[field + 2] ?? 0])) * TICK_US;
  });
  return { user, system };
}

/** The CPU time of processes for each of so many requests since another look. */
export function cpuOfEach(requests: number, pids: readonly number[], before?: CpuTime): CpuTime {
  const { user, system } = cpuTime(pids);
  const each = (now: number, then = 0) => (now - then) / requests;
  return { user: each(user, before?.user), system: each(system, before?.system) };
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
export function usageOf(pid: number): Usage {
  const { user, system } = cpuTime([pid]);
  return { cpuSeconds: (user + system) / 1e6, memoryMiB: sum([...familyOf(pid).keys()].map(sharedMemoryOf)) };
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
