import { type Figure, figureOf } from '../figures/figure.ts';
import { type SteadyRequest, type SteadyResult, steadyLoad } from '../steady-load.ts';

/** The 99th percentile up to which a rate counts as held, in ms. */
const HELD_MS = 50;

/** How long each rate is sent, in ms. */
const DURATION_MS = 2000;

/** What is asked of a service at rising rates. */
export interface RisingLoad {
  what: string;
  subject: string;
  port: number;
  requests: readonly SteadyRequest[];
  /** Requests per second, rising. */
  rates: readonly number[];
}

/** Sends the rates one after the other until one is not held. */
export async function heldRate({ what, subject, port, requests, rates }: RisingLoad): Promise<Figure[]> {
  const figures: Figure[] = [];
  await steadyLoad({ port, requests, rate: rates[0] ?? 1, durationMs: DURATION_MS });
  let held = 0;
  for (const rate of rates) {
    // Twice: a machine that stands still for a moment does not tell what the service can do.
    const tries = [await once(rate)];
    if (!isHeld(tries[0])) tries.push(await once(rate));
    for (const metric of ['p50', 'p99'] as const) {
      const label = { what, subject, metric, unit: 'ms', at: { rate } };
      figures.push(
        figureOf(
          label,
          tries.map((result) => result[metric]),
        ),
      );
    }
    if (!tries.some(isHeld)) break;
    held = rate;
  }
  return [...figures, figureOf({ what, subject, metric: 'held rate', unit: '/s', at: {} }, [held])];

  function once(rate: number): Promise<SteadyResult> {
    return steadyLoad({ port, requests, rate, durationMs: DURATION_MS });
  }
}

function isHeld(result: SteadyResult | undefined): boolean {
  if (result === undefined) return false;
  const failed = Object.entries(result.statuses).some(([status]) => status !== '200' && status !== '304');
  return result.p99 <= HELD_MS && !failed;
}
