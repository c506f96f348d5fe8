import type { Fault } from './faults.ts';
import type { Observation } from './observations.ts';

/** What was measured of a fault. */
export interface TableRow {
  name: string;
  seconds: number;
  answers: number;
  /** Answers 503. */
  refused: number;
  /** Answers 500 `operation_incomplete`. */
  halfDone: number;
  /** Connections that broke. */
  broken: number;
  slowestMs: number;
  recoveryMs: number;
}

/** Sums up what clients saw of a fault. */
export function rowOf(fault: Fault, seen: readonly Observation[], recoveryMs: number): TableRow {
  const count = (status: number) => seen.filter((one) => one.status === status).length;
  return {
    name: fault.name,
    seconds: fault.seconds,
    answers: seen.length - count(0),
    refused: count(503),
    halfDone: count(500),
    broken: count(0),
    slowestMs: Math.max(...seen.map(({ ms }) => ms)),
    recoveryMs,
  };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** The table of `docs/faults.md`, and how many writes were acknowledged in all. */
export function faultsTable(rows: readonly TableRow[], acknowledged: Record<string, number>): string {
  const lines = rows.map((row) => {
    const { name, answers, refused, halfDone, broken, slowestMs, recoveryMs } = row;
    return `| ${name} (${row.seconds} s) | ${[answers, refused, halfDone, broken].join(' | ')} | ${seconds(slowestMs)} | ${seconds(recoveryMs)} |`;
  });
  const sums = Object.entries(acknowledged).map(([what, count]) => `${count} ${what}`);
  return [
    '| fault | answers | 503 | half done | broken | slowest | back after |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
    `Acknowledged: ${sums.join(', ')}.`,
  ].join('\n');
}
