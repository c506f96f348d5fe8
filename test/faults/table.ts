import { writeFileSync } from 'node:fs';
import { type Observation, SLOWEST_MS } from './observations.ts';

/** The measurements of a fault. */
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
  /** Requests that took longer than any may. */
  tooSlow: readonly Observation[];
  /** The longest time to an answer of `/healthz`, which depends on nothing but the machine. */
  pulseMs: number;
  recoveryMs: number;
}

/** Measurements of a fault besides the clients' requests. */
interface Times {
  pulseMs: number;
  recoveryMs: number;
}

/** Sums up what clients saw of a fault. */
export function rowOf(
  fault: Pick<TableRow, 'name' | 'seconds'>,
  seen: readonly Observation[],
  times: Times,
): TableRow {
  const count = (status: number) => seen.filter((one) => one.status === status).length;
  return {
    name: fault.name,
    seconds: fault.seconds,
    answers: seen.length - count(0),
    refused: count(503),
    halfDone: count(500),
    broken: count(0),
    slowestMs: Math.max(...seen.map(({ ms }) => ms)),
    tooSlow: seen.filter(({ ms }) => ms > SLOWEST_MS),
    ...times,
  };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/**
 * The table of `bench/results/faults.md`, how many writes were acknowledged in all, which faults left work
 * half done or broke connections, and the requests that took longer than any may.
 */
export function faultsTable(rows: readonly TableRow[], acknowledged: Record<string, number>): string {
  const lines = rows.map((row) => {
    const counts = [row.answers, row.refused];
    const times = [row.slowestMs, row.pulseMs, row.recoveryMs].map(seconds);
    return `| ${row.name} (${row.seconds} s) | ${[...counts, ...times].join(' | ')} |`;
  });
  const slow = rows.flatMap(({ name, tooSlow }) =>
    tooSlow.map(
      ({ replica, request, status, ms }) => `${name}: ${replica}, ${request}: ${status} in ${seconds(ms)}`,
    ),
  );
  const sentence = (what: string, count: (row: TableRow) => number) => {
    const some = rows.filter((row) => count(row) > 0);
    return some.length === 0
      ? []
      : [`${what}: ${some.map((row) => `${count(row)} (${row.name})`).join(', ')}.`];
  };
  const sums = Object.entries(acknowledged).map(([what, count]) => `${count} ${what}`);
  return [
    '| fault | answers | 503 | slowest | /healthz | back after |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
    `Acknowledged: ${sums.join(', ')}.`,
    ...sentence('Half done', (row) => row.halfDone),
    ...sentence('Broken', (row) => row.broken),
    ...slow,
  ].join('\n');
}

/** Prints a table, and writes it to the file that `FAULTS_TABLE` names. */
export function writeTable(table: string): void {
  console.log(table);
  if (process.env.FAULTS_TABLE) writeFileSync(process.env.FAULTS_TABLE, `${table}\n`);
}
