import { readdirSync, readFileSync } from 'node:fs';

/** What a process and those that it started have used. For Linux, whose `/proc` says it. */
export interface Usage {
  cpuSeconds: number;
  /** Memory, in MiB; what they share is counted once. */
  memoryMiB: number;
}

/** Clock ticks per second, in which `/proc` counts CPU time. */
const TICKS = 100;

/** What a process, its children so far and their children use and have used. */
export function usageOf(pid: number): Usage {
  const { pids, ticks } = familyOf(pid);
  return { cpuSeconds: ticks / TICKS, memoryMiB: pids.reduce((sum, one) => sum + memoryOf(one), 0) };
}

function familyOf(root: number): { pids: number[]; ticks: number } {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'utf8');
        // After the name: state, parent, …, utime, stime, and those of children that have ended.
        const fields = text
          .slice(text.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number);
        return [{ pid: Number(name), parent: fields[1], ticks: sum(fields.slice(11, 15)) }];
      } catch {
        return []; // It has ended.
      }
    });
  const family = new Set([root]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { pid, parent } of stats) if (parent !== undefined && family.has(parent)) family.add(pid);
  }
  const members = stats.filter(({ pid }) => family.has(pid));
  return { pids: members.map(({ pid }) => pid), ticks: sum(members.map(({ ticks }) => ticks)) };
}

function memoryOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
