import type { Figure } from '../figures/figure.ts';
import { heldRate as heldRateOf, type RisingLoad } from '../held-rate.ts';
import { type Load, load } from '../load.ts';

/** The 99th percentile up to which a rate counts as held, in ms. */
export const HELD_MS = 50;

/** How long each rate is sent, in ms. */
const DURATION_MS = 2000;

/** What is asked of a service. */
export type Target = Pick<Load, 'port' | 'requests'>;

/** What is asked of services at rising rates. */
interface TargetsLoad extends Pick<RisingLoad, 'what' | 'subject' | 'rates'> {
  /** Each gets the same share of the requests. */
  targets: readonly Target[];
}

/** Sends the rates one after the other until one is not held. */
export function heldRate({ targets, ...rising }: TargetsLoad): Promise<Figure[]> {
  const send = async (rate: number) => {
    const share = { rate: rate / targets.length, durationMs: DURATION_MS };
    const results = await Promise.all(targets.map((target) => load({ ...target, ...share })));
    // The slowest speaks for all; none may fail.
    const slowest = results.reduce((one, other) => (one.p99 < other.p99 ? other : one));
    return { ...slowest, failed: results.reduce((sum, { failed }) => sum + failed, 0) };
  };
  return heldRateOf({ ...rising, heldMs: HELD_MS, send });
}
