import { type Figure, figuresOf } from '../figures/figure.ts';
import { type Load, type LoadResult, load } from '../load.ts';

/** The 99th percentile up to which a rate counts as held, in ms. */
export const HELD_MS = 50;

/** How long each rate is sent, in ms. */
const DURATION_MS = 2000;

/** What is asked of a service. */
export type Target = Pick<Load, 'port' | 'requests'>;

/** What is asked of services at rising rates. */
export interface RisingLoad {
  what: string;
  subject: string;
  /** Each gets the same share of the requests. */
  targets: readonly Target[];
  /** Requests per second, rising. */
  rates: readonly number[];
}

/** Sends the rates one after the other until one is not held. */
export async function heldRate({ what, subject, targets, rates }: RisingLoad): Promise<Figure[]> {
  const figures: Figure[] = [];
  const once = async (rate: number) => {
    const share = { rate: rate / targets.length, durationMs: DURATION_MS };
    const results = await Promise.all(targets.map((target) => load({ ...target, ...share })));
    // The slowest speaks for all; none may fail.
    const slowest = results.reduce((one, other) => (one.p99 < other.p99 ? other : one));
    return { ...slowest, failed: results.reduce((sum, { failed }) => sum + failed, 0) };
  };
  await once(rates[0] ?? 1);
  let held = 0;
  for (const rate of rates) {
    let result = await once(rate);
    // Again: a machine that stands still for a moment does not tell what the service can do.
    if (!isHeld(result)) {
      const again = await once(rate);
      if (isHeld(again) || again.p99 < result.p99) result = again;
    }
    const figure = figuresOf(subject, { rate });
    figures.push(figure(what, 'p50', 'ms', result.p50), figure(what, 'p99', 'ms', result.p99));
    if (!isHeld(result)) break;
    held = rate;
  }
  return [...figures, figuresOf(subject)(what, 'held rate', '/s', held)];
}

function isHeld({ p99, failed }: LoadResult): boolean {
  return p99 <= HELD_MS && failed === 0;
}
