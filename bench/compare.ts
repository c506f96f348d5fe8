import { type Conditions, type Figure, figuresOf } from './figures/figure.ts';
import { type Load, type LoadResult, load } from './load.ts';
import { pinned } from './pinned.ts';
import { type ServerOptions, type ServerProcess, startServer } from './server.ts';
import { inTurns } from './turns.ts';
import { cpuTime } from './usage.ts';

/** A server with what it is asked. */
export interface Asked {
  subject: string;
  process: ServerProcess;
  /** Asks it for so long, in ms, over so many connections if their number is not its own. */
  ask: (durationMs: number, connections: number) => Promise<LoadResult>;
}

/** How often servers are measured. */
export interface Rounds {
  rounds: number;
  /** How long one measurement lasts, and the one before it that does not count, in ms. */
  roundMs: number;
  warmUpMs: number;
  connections?: number;
}

/** What one measurement of a server found. */
export interface Slice extends LoadResult {
  /** CPU time of a request in the server's processes, in µs: their own, and the kernel's for them. */
  user: number;
  system: number;
  /** Resident memory afterwards, in MiB. */
  memory: number;
}

/** Measures servers in turns, each after a warm-up: their slices by round. */
export async function slicesOf(
  servers: readonly Asked[],
  { rounds, roundMs, warmUpMs, connections = 1 }: Rounds,
): Promise<Slice[][]> {
  for (const { ask } of servers) await ask(warmUpMs, connections);
  return inTurns(servers, rounds, async ({ process, ask }) => {
    const before = cpuTime(process.pid);
    const result = await ask(roundMs, connections);
    const after = cpuTime(process.pid);
    const user = (after.user - before.user) / result.requests;
    const system = (after.system - before.system) / result.requests;
    return { ...result, user, system, memory: process.residentMemory() };
  });
}

/** The unit of each metric of a slice, and how it is read. */
const METRICS = {
  rate: { unit: '/s', read: ({ requestsPerSecond }: Slice) => requestsPerSecond },
  p50: { unit: 'ms', read: ({ p50 }: Slice) => p50 },
  p99: { unit: 'ms', read: ({ p99 }: Slice) => p99 },
  'cpu, user': { unit: 'µs', read: ({ user }: Slice) => user },
  'cpu, system': { unit: 'µs', read: ({ system }: Slice) => system },
  cpu: { unit: 'ms', read: ({ user, system }: Slice) => (user + system) / 1000 },
  memory: { unit: 'MiB', read: ({ memory }: Slice) => memory },
};

/** Metrics of a server's slices as figures. */
export function sliceFigures(
  figure: ReturnType<typeof figuresOf>,
  what: string,
  slices: readonly Slice[],
  metrics: readonly (keyof typeof METRICS)[],
): Figure[] {
  return metrics.map((metric) =>
    figure(what, metric, METRICS[metric].unit, slices.map(METRICS[metric].read)),
  );
}

/** The rates of one as multiples of those of another, round by round. */
export function rateRatios(own: readonly Slice[], other: readonly Slice[]): number[] {
  return own.map(
    ({ requestsPerSecond }, round) => requestsPerSecond / (other[round]?.requestsPerSecond ?? 0),
  );
}

/** The requests under which servers are compared. */
export type Compared = Pick<Load, 'requests' | 'connections' | 'status'> & {
  what: string;
  at?: Conditions;
  /** The smallest acceptable ratio, if there is one. */
  aim?: number;
};

/** A named server. */
export type Contender = [name: string, server: ServerProcess];

/**
 * Measures two servers in turns under the same load, which has its own core: rates, times and CPU time of
 * both, and the ratio of the first one's rate to the second one's.
 */
export async function compare(
  contenders: readonly [Contender, Contender],
  { what, at, aim, ...request }: Compared,
): Promise<Figure[]> {
  const servers = contenders.map(([subject, process]): Asked => {
    const ask = (durationMs: number) => load({ ...request, port: process.port, durationMs });
    return { subject, process, ask };
  });
  const pids = servers.map(({ process }) => process.pid);
  const slices = await pinned(pids, () => slicesOf(servers, { rounds: 9, roundMs: 1000, warmUpMs: 1500 }));
  const metrics = ['rate', 'p50', 'p99', 'cpu, user', 'cpu, system'] as const;
  const [own = [], bare = []] = slices;
  return [
    ...servers.flatMap(({ subject }, index) =>
      sliceFigures(figuresOf(subject, at), what, slices[index] ?? [], metrics),
    ),
    figuresOf(contenders[0][0], at)(what, 'ratio', '', rateRatios(own, bare), aim),
  ];
}

/** Compares a service with a bare server, which runs meanwhile. */
export async function compareWithBare(
  own: Contender,
  { name, ...options }: ServerOptions & { name: string },
  compared: readonly Compared[],
): Promise<Figure[]> {
  await using server = await startServer(options);
  const figures: Figure[] = [];
  for (const one of compared) figures.push(...(await compare([own, [name, server]], one)));
  return figures;
}
