import { type Figure, figuresOf } from '../figures/figure.ts';
import { type SteadyRequest, type SteadyResult, steadyLoad } from '../steady-load.ts';

/** The 99th percentile up to which a rate counts as held, in ms. */
const HELD_MS = 50;

/** How long each rate is sent, in ms. */
const DURATION_MS = 2000;

/** What is asked of a service. */
export interface Target {
  port: number;
  requests: readonly SteadyRequest[];
}

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
  await once(rates[0] ?? 1);
  let held = 0;
  for (const rate of rates) {
    let result = await once(rate);
    // Again: a machine that stands still for a moment does not tell what the service can do.
    if (!isHeld(result)) result = better(result, await once(rate));
    const figure = figuresOf(subject, { rate });
    figures.push(figure(what, 'p50', 'ms', result.p50), figure(what, 'p99', 'ms', result.p99));
    if (!isHeld(result)) break;
    held = rate;
  }
  return [...figures, figuresOf(subject)(what, 'held rate', '/s', held)];

  async function once(rate: number): Promise<SteadyResult> {
    const load = { rate: rate / targets.length, durationMs: DURATION_MS };
    const results = await Promise.all(targets.map((target) => steadyLoad({ ...target, ...load })));
    return results.reduce(slower);
  }
}

/** Two results as one: the longer times, and all answers. */
function slower(one: SteadyResult, other: SteadyResult): SteadyResult {
  const statuses = { ...one.statuses };
  for (const [status, count] of Object.entries(other.statuses)) {
    statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
  }
  const longer = (metric: 'p50' | 'p99' | 'highest') => Math.max(one[metric], other[metric]);
  return { p50: longer('p50'), p99: longer('p99'), highest: longer('highest'), statuses };
}

function better(one: SteadyResult, other: SteadyResult): SteadyResult {
  return isHeld(other) || other.p99 < one.p99 ? other : one;
}

function isHeld(result: SteadyResult): boolean {
  const failed = Object.entries(result.statuses).some(([status]) => status !== '200' && status !== '304');
  return result.p99 <= HELD_MS && !failed;
}
