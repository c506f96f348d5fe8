import { type Figure, figuresOf } from './figures/figure.ts';
import { type Load, type LoadResult, load } from './load.ts';

/** The 99th percentile up to which a rate of cached answers counts as held, in ms. */
export const HELD_MS = 50;

/** Outcome of the requests at one rate. */
interface RateResult extends Pick<LoadResult, 'p50' | 'p99' | 'failed'> {
  /** Other metrics that are kept, with their units. */
  more?: Readonly<Record<string, readonly [value: number, unit: string]>>;
}

/** Requests to services at rising rates. */
export interface RisingLoad {
  what: string;
  subject: string;
  rates: readonly number[];
  /** The 99th percentile up to which a rate counts as held, in ms. */
  heldMs: number;
  send: (rate: number) => Promise<RateResult>;
}

/** Sends the rates one after the other until one is not held. */
export async function heldRate({ what, subject, rates, heldMs, send }: RisingLoad): Promise<Figure[]> {
  const figures: Figure[] = [];
  const isHeld = ({ p99, failed }: RateResult) => p99 <= heldMs && failed === 0;
  await send(rates[0] ?? 1);
  let held = 0;
  for (const rate of rates) {
    let result = await send(rate);
    // Again: a machine that stands still for a moment does not tell what the service can do.
    if (!isHeld(result)) {
      const again = await send(rate);
      if (isHeld(again) || again.p99 < result.p99) result = again;
    }
    const { p50, p99, more = {} } = result;
    const figure = figuresOf(subject, { rate });
    figures.push(figure(what, 'p50', 'ms', p50), figure(what, 'p99', 'ms', p99));
    for (const [metric, [value, unit]] of Object.entries(more))
      figures.push(figure(what, metric, unit, value));
    if (!isHeld(result)) break;
    held = rate;
  }
  return [...figures, figuresOf(subject)(what, 'held rate', '/s', held)];
}

export type Target = Pick<Load, 'port' | 'requests'>;

/** Sends so many requests a second for 2 s, to each target the same share. */
export const sendTo =
  (...targets: Target[]) =>
  async (rate: number): Promise<RateResult> => {
    const share = { rate: rate / targets.length, durationMs: 2000 };
    const results = await Promise.all(targets.map((target) => load({ ...target, ...share })));
    // The slowest speaks for all; none may fail.
    const slowest = results.reduce((one, other) => (one.p99 < other.p99 ? other : one));
    return { ...slowest, failed: results.reduce((sum, { failed }) => sum + failed, 0) };
  };
