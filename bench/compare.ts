import { type ServerProcess, startServer } from './child.ts';
import { cpuTime, stolenTime } from './cpu-time.ts';
import { type Conditions, type Figure, figuresOf } from './figures/figure.ts';
import { type Load, type LoadResult, load } from './load.ts';
import { pinned } from './pinned.ts';
import { oneTurn } from './turns.ts';

/** How often each server is measured. */
const ROUNDS = 9;

/** How many rounds there are at most, if the hypervisor has taken time in some. */
const MOST_ROUNDS = 15;

/** The time that may be stolen from a round, in µs: a hundredth of a core. */
const STOLEN_US = 20_000;

/** How long one measurement lasts, in ms, after a warm-up of the same server. */
const ROUND_MS = 1000;
const WARM_UP_MS = 1500;

/** A named server. */
export type Contender = [name: string, server: Pick<ServerProcess, 'port' | 'pid'>];

/** The requests under which servers are compared. */
type Request = Pick<Load, 'paths' | 'headers' | 'status' | 'connections'>;

/** What one measurement of a server found. */
interface Slice extends LoadResult {
  /** CPU time of a request in the server's process, in µs: its own, and the kernel's for it. */
  user: number;
  system: number;
}

/** What is compared, and under which conditions. */
export interface Compared {
  what: string;
  request: Request;
  at?: Conditions;
  /** The smallest acceptable ratio, if there is one. */
  aim?: number;
}

/**
 * Measures two servers in turns under the same load, which has its own core: rates, times and CPU time of
 * both, and the ratio of the first one's rate to the second one's.
 */
export async function compare(
  contenders: readonly [Contender, Contender],
  { what, request, at, aim }: Compared,
): Promise<Figure[]> {
  const rounds = await pinned(
    contenders.map(([, { pid }]) => pid),
    () => measure(contenders, request),
  );
  const figures = contenders.flatMap(([name], index) => {
    const of = (member: keyof Slice) => rounds.map((slices) => slices[index]?.[member] ?? Number.NaN);
    const figure = figuresOf(name, at);
    return [
      figure(what, 'rate', '/s', of('requestsPerSecond')),
      figure(what, 'p50', 'ms', of('p50')),
      figure(what, 'p99', 'ms', of('p99')),
      figure(what, 'cpu, user', 'µs', of('user')),
      figure(what, 'cpu, system', 'µs', of('system')),
    ];
  });
  const ratios = rounds.map(([own, bare]) => (own?.requestsPerSecond ?? 0) / (bare?.requestsPerSecond ?? 0));
  return [...figures, figuresOf(contenders[0][0], at)(what, 'ratio', '', ratios, aim)];
}

/** Compares a service with a bare server, which runs meanwhile. */
export async function compareWithBare(
  own: Contender,
  bare: { name: string; program: string; env: Record<string, string>; ready?: string },
  compared: readonly Compared[],
): Promise<Figure[]> {
  const { name, program, env, ready = '/' } = bare;
  const server = await startServer({ program, env, port: 'PORT', ready });
  const figures: Figure[] = [];
  for (const one of compared) figures.push(...(await compare([own, [name, server]], one)));
  await server.stop();
  return figures;
}

/** Measures until there are enough rounds in which no time was stolen. */
async function measure(contenders: readonly Contender[], request: Request): Promise<Slice[][]> {
  const [kept, disturbed]: [Slice[][], Slice[][]] = [[], []];
  for (const contender of contenders) await slice(contender, request, WARM_UP_MS);
  for (let round = 0; round < MOST_ROUNDS && kept.length < ROUNDS; round += 1) {
    const before = stolenTime();
    const slices = await oneTurn(contenders, round, (contender) => slice(contender, request, ROUND_MS));
    (stolenTime() - before > STOLEN_US ? disturbed : kept).push(slices);
  }
  if (disturbed.length > 0) console.log(`the hypervisor took time from ${disturbed.length} rounds`);
  // On a host that never leaves the machine alone, disturbed rounds are better than none.
  return kept.length > 0 ? kept : disturbed;
}

async function slice([, { port, pid }]: Contender, request: Request, durationMs: number): Promise<Slice> {
  const before = cpuTime(pid);
  const result = await load({ ...request, port, durationMs });
  const after = cpuTime(pid);
  const requests = (result.requestsPerSecond * durationMs) / 1000;
  return {
    ...result,
    user: (after.user - before.user) / requests,
    system: (after.system - before.system) / requests,
  };
}
