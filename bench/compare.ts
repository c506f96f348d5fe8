import { cpuTime, stolenTime } from './cpu-time.ts';
import { type Conditions, type Figure, figureOf } from './figures/figure.ts';
import { type Load, type LoadResult, load } from './load.ts';
import { pinned } from './pinned.ts';
import { median, quantile } from './quantile.ts';

export { median } from './quantile.ts';

/** How often each server is measured. They take turns, so that a noisy minute hits all of them. */
const ROUNDS = 9;

/** How many rounds there are at most, if the hypervisor has taken time in some. */
const MOST_ROUNDS = 15;

/** The time that may be stolen from a round, in µs: a hundredth of a core. */
const STOLEN_US = 20_000;

/** How long one measurement lasts, in ms, after a warm-up of the same server. */
const ROUND_MS = 1000;
const WARM_UP_MS = 1500;

/** A named server. */
export interface Contender {
  name: string;
  port: number;
  pid: number;
}

/** What one measurement of a server found. */
export interface Slice extends LoadResult {
  /** CPU time of a request in the server's process, in µs: its own, and the kernel's for it. */
  user: number;
  system: number;
}

/** The result of a comparison: the first server is measured, the second is what it is compared with. */
export interface Comparison {
  what: string;
  /** Requests per second by server, medians of the rounds. */
  requestsPerSecond: Record<string, number>;
  /** The median of the rounds' ratios of the first server to the second. */
  ratio: number;
  /** Their first and third quartiles: half of the rounds lie between them. */
  ratios: [lower: number, upper: number];
  /** Times to an answer of the first and the second server, in ms: medians of the rounds. */
  p50: Record<string, number>;
  p99: Record<string, number>;
  /** The smallest acceptable ratio, if there is one. */
  bar?: number | undefined;
  /** What each round measured, by server. */
  rounds: Record<string, Slice[]>;
  /** How many rounds were left out, because the hypervisor took time from the machine. */
  leftOut: number;
}

/** Measures two servers alternately under the same load, which has its own core. */
export async function compare(
  what: string,
  [measured, bare]: [Contender, Contender],
  request: Request,
  bar?: number,
): Promise<Comparison> {
  const { results, leftOut } = await pinned([measured.pid, bare.pid], () =>
    inTurns([measured, bare], request),
  );
  const of = (name: string, member: keyof Slice) => (results[name] ?? []).map((result) => result[member]);
  const medians = (member: keyof Slice) =>
    Object.fromEntries([measured, bare].map(({ name }) => [name, median(of(name, member))]));
  const others = of(bare.name, 'requestsPerSecond');
  const ratios = of(measured.name, 'requestsPerSecond').map(
    (value, round) => value / (others[round] ?? Number.NaN),
  );
  return {
    what,
    requestsPerSecond: medians('requestsPerSecond'),
    ratio: median(ratios),
    ratios: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    p50: medians('p50'),
    p99: medians('p99'),
    bar,
    rounds: results,
    leftOut,
  };
}

type Request = Pick<Load, 'paths' | 'headers' | 'status' | 'connections'>;

/** Measures both servers until there are enough rounds in which no time was stolen. */
async function inTurns([measured, bare]: [Contender, Contender], request: Request) {
  const results: Record<string, Slice[]> = { [measured.name]: [], [bare.name]: [] };
  const stolen: Record<string, Slice>[] = [];
  const enough = () => results[measured.name]?.length === ROUNDS;
  for (const contender of [measured, bare]) await slice(contender, request, WARM_UP_MS);
  for (let round = 0; round < MOST_ROUNDS && !enough(); round += 1) {
    const before = stolenTime();
    const slices: Record<string, Slice> = {};
    for (const contender of round % 2 === 0 ? [measured, bare] : [bare, measured]) {
      slices[contender.name] = await slice(contender, request, ROUND_MS);
    }
    if (stolenTime() - before > STOLEN_US) stolen.push(slices);
    else for (const [name, result] of Object.entries(slices)) results[name]?.push(result);
  }
  const leftOut = stolen.length;
  // On a host that never leaves the machine alone, disturbed rounds are better than none.
  if (results[measured.name]?.length === 0) {
    for (const slices of stolen)
      for (const [name, result] of Object.entries(slices)) results[name]?.push(result);
  }
  return { results, leftOut };
}

async function slice({ port, pid }: Contender, request: Request, durationMs: number): Promise<Slice> {
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

/** The figures of a comparison: rates and times of both servers, and the ratio of the first to the second. */
export function comparisonFigures({ what, rounds, bar }: Comparison, at: Conditions): Figure[] {
  const figures = Object.entries(rounds).flatMap(([subject, results]) => {
    const of = (member: keyof Slice) => results.map((result) => result[member]);
    return [
      figureOf({ what, subject, metric: 'rate', unit: '/s', at }, of('requestsPerSecond')),
      figureOf({ what, subject, metric: 'p50', unit: 'ms', at }, of('p50')),
      figureOf({ what, subject, metric: 'p99', unit: 'ms', at }, of('p99')),
      figureOf({ what, subject, metric: 'cpu, user', unit: 'µs', at }, of('user')),
      figureOf({ what, subject, metric: 'cpu, system', unit: 'µs', at }, of('system')),
    ];
  });
  const [[subject, own], [, bare]] = Object.entries(rounds) as [[string, Slice[]], [string, Slice[]]];
  const ratios = own.map(
    ({ requestsPerSecond }, round) => requestsPerSecond / (bare[round]?.requestsPerSecond ?? Number.NaN),
  );
  const label = { what, subject, metric: 'ratio', unit: '', at, ...(bar !== undefined && { aim: bar }) };
  return [...figures, figureOf(label, ratios)];
}
