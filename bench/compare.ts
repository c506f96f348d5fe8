import { type Conditions, type Figure, figureOf } from './figures/figure.ts';
import { type Load, type LoadResult, load } from './load.ts';
import { median, quantile } from './quantile.ts';

export { median, quantile } from './quantile.ts';

/** How often each server is measured. They take turns, so that a noisy minute hits all of them. */
const ROUNDS = 15;

/** How long one measurement lasts, in ms, after a warm-up of the same server. */
const ROUND_MS = 700;
const WARM_UP_MS = 1500;

/** A named server. */
export interface Contender {
  name: string;
  port: number;
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
  rounds: Record<string, LoadResult[]>;
}

/** Measures two servers alternately under the same load. */
export async function compare(
  what: string,
  [measured, bare]: [Contender, Contender],
  request: Pick<Load, 'paths' | 'headers' | 'status' | 'connections'>,
  bar?: number,
): Promise<Comparison> {
  const results: Record<string, LoadResult[]> = { [measured.name]: [], [bare.name]: [] };
  for (const { port } of [measured, bare]) await load({ ...request, port, durationMs: WARM_UP_MS });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, port } of round % 2 === 0 ? [measured, bare] : [bare, measured]) {
      results[name]?.push(await load({ ...request, port, durationMs: ROUND_MS }));
    }
  }
  const of = (name: string, member: keyof LoadResult) =>
    (results[name] ?? []).map((result) => result[member]);
  const medians = (member: keyof LoadResult) =>
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
  };
}

/** The figures of a comparison: rates and times of both servers, and the ratio of the first to the second. */
export function comparisonFigures({ what, rounds, bar }: Comparison, at: Conditions): Figure[] {
  const figures = Object.entries(rounds).flatMap(([subject, results]) => {
    const of = (member: keyof LoadResult) => results.map((result) => result[member]);
    return [
      figureOf({ what, subject, metric: 'rate', unit: '/s', at }, of('requestsPerSecond')),
      figureOf({ what, subject, metric: 'p50', unit: 'ms', at }, of('p50')),
      figureOf({ what, subject, metric: 'p99', unit: 'ms', at }, of('p99')),
    ];
  });
  const [[subject, own], [, bare]] = Object.entries(rounds) as [
    [string, LoadResult[]],
    [string, LoadResult[]],
  ];
  const ratios = own.map(
    ({ requestsPerSecond }, round) => requestsPerSecond / (bare[round]?.requestsPerSecond ?? Number.NaN),
  );
  const label = { what, subject, metric: 'ratio', unit: '', at, ...(bar !== undefined && { aim: bar }) };
  return [...figures, figureOf(label, ratios)];
}
