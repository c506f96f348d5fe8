import type { ServerProcess } from '../child.ts';
import { cpuTime } from '../cpu-time.ts';
import { type Conditions, type Figure, figuresOf } from '../figures/figure.ts';
import { type Load, type LoadResult, load } from '../load.ts';
import { quantile } from '../quantile.ts';
import { inTurns, timed } from '../turns.ts';

/** How often each server is measured. */
const ROUNDS = 7;

/** How long one measurement lasts, and the one before it that does not count, in ms. */
const ROUND_MS = 400;
const WARM_UP_MS = 1000;

/** A server with what it is asked. */
export interface Asked {
  subject: string;
  process: ServerProcess;
  /** Asks it over so many connections for so long, in ms. */
  ask: (connections: number, durationMs: number) => Promise<LoadResult>;
}

/** The result of one round. */
interface Round extends LoadResult {
  /** CPU time of the server for each request, in ms. */
  cpu: number;
  /** Resident memory afterwards, in MiB. */
  memory: number;
}

/** Measures servers in turns under the same load: rate, times, CPU time and memory of each. */
export async function measureInTurns(
  what: string,
  servers: readonly Asked[],
  at: Conditions & { connections: number },
): Promise<Figure[]> {
  const { connections } = at;
  for (const server of servers) await measure(server, connections, WARM_UP_MS);
  const results = await inTurns(servers, ROUNDS, (server) => measure(server, connections, ROUND_MS));
  return servers.flatMap(({ subject }, index) => {
    const figure = figuresOf(subject, at);
    const of = (member: keyof Round) => (results[index] ?? []).map((result) => result[member]);
    return [
      figure(what, 'rate', '/s', of('requestsPerSecond')),
      figure(what, 'p50', 'ms', of('p50')),
      figure(what, 'p99', 'ms', of('p99')),
      figure(what, 'cpu', 'ms', of('cpu')),
      figure(what, 'memory', 'MiB', of('memory')),
    ];
  });
}

/** Asks a server for requests over sockets. */
export function askWith({ port }: ServerProcess, request: Omit<Load, 'port' | 'connections' | 'durationMs'>) {
  return (connections: number, durationMs: number): Promise<LoadResult> =>
    load({ ...request, port, connections, durationMs });
}

/** Asks a server by running `work` again and again, `connections` at once. */
export async function repeat(
  work: () => Promise<void>,
  connections: number,
  durationMs: number,
): Promise<LoadResult> {
  const times: number[] = [];
  const begin = performance.now();
  const worker = async () => {
    while (performance.now() - begin < durationMs) times.push(await timed(work));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const requestsPerSecond = (times.length * 1000) / (performance.now() - begin);
  return {
    requests: times.length,
    requestsPerSecond,
    failed: 0,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  };
}

/** The CPU time of a server so far, in ms. */
function cpuMs({ pid }: ServerProcess): number {
  const { user, system } = cpuTime(pid);
  return (user + system) / 1000;
}

async function measure({ process, ask }: Asked, connections: number, durationMs: number): Promise<Round> {
  const before = cpuMs(process);
  const result = await ask(connections, durationMs);
  const cpu = (cpuMs(process) - before) / result.requests;
  return { ...result, cpu, memory: process.residentMemory() };
}
