import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { type Conditions, type Figure, type FigureMaker, figuresOf } from './figures/figure.ts';
import { type Load, type LoadResult, load } from './load.ts';
import { quotients } from './quantile.ts';
import { type ServerOptions, type ServerProcess, startServer } from './server.ts';
import { inTurns } from './turns.ts';
import { cpuTimer } from './usage.ts';

/** A server with what it is asked. */
export interface Asked {
  subject: string;
  process: ServerProcess;
  /** The first process of the database server that it reads from. */
  database?: number | undefined;
  /** Asks it for so long, in ms, over so many connections if their number is not its own. */
  ask: (durationMs: number, connections: number) => Promise<LoadResult>;
}

export interface Rounds {
  rounds: number;
  /** Length of one measurement, and of the one before it that does not count, in ms. */
  roundMs: number;
  warmUpMs: number;
  connections?: number;
}

/** Result of one measurement of a server. */
export interface Slice extends LoadResult {
  /** CPU time of a request in the server's processes, in µs: their own, and the kernel's for them. */
  user: number;
  system: number;
  /** CPU time of a request in the database, in µs. */
  database: number;
  memory: number;
}

/** Measures servers in turns, each after a warm-up: their slices by round. */
export async function slicesOf(
  servers: readonly Asked[],
  { rounds, roundMs, warmUpMs, connections = 1 }: Rounds,
): Promise<Slice[][]> {
  for (const { ask } of servers) await ask(warmUpMs, connections);
  return inTurns(servers, rounds, async ({ process, database, ask }) => {
    const [own, other] = [cpuTimer(process.pid), cpuTimer(database)];
    const result = await ask(roundMs, connections);
    const [{ user, system }, { both }] = [own(), other()];
    const each = (time: number) => time / result.requests;
    const times = { user: each(user), system: each(system), database: each(both) };
    return { ...result, ...times, memory: process.residentMemory() };
  });
}

const METRICS = {
  rate: { unit: '/s', read: ({ requestsPerSecond }: Slice) => requestsPerSecond },
  p50: { unit: 'ms', read: ({ p50 }: Slice) => p50 },
  p99: { unit: 'ms', read: ({ p99 }: Slice) => p99 },
  'cpu, user': { unit: 'µs', read: ({ user }: Slice) => user },
  'cpu, system': { unit: 'µs', read: ({ system }: Slice) => system },
  'cpu, database': { unit: 'µs', read: ({ database }: Slice) => database },
  cpu: { unit: 'ms', read: ({ user, system }: Slice) => (user + system) / 1000 },
  memory: { unit: 'MiB', read: ({ memory }: Slice) => memory },
};

/** A number that a slice has of a server. */
export type SliceMetric = keyof typeof METRICS;

/** Metrics of a server's slices as figures. */
export function sliceFigures(
  figure: FigureMaker,
  what: string,
  slices: readonly Slice[],
  metrics: readonly SliceMetric[],
): Figure[] {
  return metrics.map((metric) =>
    figure(what, metric, METRICS[metric].unit, slices.map(METRICS[metric].read)),
  );
}

/** The rates of one as multiples of those of another, round by round. */
export function rateRatios(own: readonly Slice[], other: readonly Slice[]): number[] {
  return quotients(own.map(METRICS.rate.read), other.map(METRICS.rate.read));
}

export interface Contender {
  name: string;
  process: ServerProcess;
  /** The first process of the database server that it reads from. */
  database?: number;
}

/** Asks a server for requests over sockets. */
export function askedFor(
  { name: subject, process, database }: Contender,
  request: Omit<Load, 'port' | 'connections' | 'durationMs'>,
): Asked {
  const ask = (durationMs: number, connections: number) =>
    load({ ...request, port: process.port, connections, durationMs });
  return { subject, process, database, ask };
}

/** The requests under which servers are compared. */
export type Compared = Pick<Load, 'requests' | 'status'> & {
  what: string;
  at: Conditions;
  connections: number;
  aim?: number | undefined;
};

/**
 * Measures two servers in turns under the same load, which has its own core: rates, times and CPU time of
 * both, and the ratio of the first one's rate to the second one's.
 */
async function compare(
  contenders: readonly [Contender, Contender],
  { what, at, aim, connections, ...request }: Compared,
): Promise<Figure[]> {
  const servers = contenders.map((contender) => askedFor(contender, request));
  const pids = servers.map(({ process }) => process.pid);
  const rounds = { rounds: 9, roundMs: 1000, warmUpMs: 1500, connections };
  const slices = await pinned(pids, () => slicesOf(servers, rounds));
  const metrics: SliceMetric[] = ['rate', 'p50', 'p99', 'cpu, user', 'cpu, system'];
  if (contenders[0].database !== undefined) metrics.push('cpu, database');
  const [own = [], bare = []] = slices;
  return [
    ...servers.flatMap(({ subject }, index) =>
      sliceFigures(figuresOf(subject, at), what, slices[index] ?? [], metrics),
    ),
    figuresOf(contenders[0].name, at)(what, 'ratio', '', rateRatios(own, bare), aim),
  ];
}

/**
 * Runs `work` with the load of this process on one core and the servers on another, where the machine has two
 * and `taskset`: neither is moved, and neither takes the other's. Servers that are started during `work` stay
 * on the load's core, so start them before.
 */
async function pinned<Result>(servers: readonly number[], work: () => Promise<Result>): Promise<Result> {
  const cores = availableParallelism();
  if (cores < 2) return work();
  const pin = (pid: number, to: string) =>
    spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', to, String(pid)], { stdio: 'ignore' });
  pin(process.pid, '0');
  for (const pid of servers) pin(pid, '1');
  try {
    return await work();
  } finally {
    for (const pid of [process.pid, ...servers]) pin(pid, `0-${cores - 1}`);
  }
}

/** Compares a service with a bare server, which runs meanwhile, on the same database if there is one. */
export async function compareWithBare(
  own: Contender,
  { name, ...options }: ServerOptions & { name: string },
  compared: readonly Compared[],
): Promise<Figure[]> {
  await using process = await startServer(options);
  const figures: Figure[] = [];
  for (const one of compared) figures.push(...(await compare([own, { ...own, name, process }], one)));
  return figures;
}
