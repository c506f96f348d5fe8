import type { Figure } from '../figures/figure.ts';
import { select } from '../figures/read.ts';
import { measuredTables } from './measured.ts';
import { printed } from './section.ts';

/** Whose figures the others are held against. */
const OWN = 'Pressroom';

/** What was measured of the programs behind the proxy: first where another is better, then all by rate. */
export function deployedTables(figures: readonly Figure[]): string[] {
  const held = select(figures, { metric: 'held rate' });
  const times = figures.filter(({ metric }) => metric !== 'held rate');
  const byRate = times.toSorted((a, b) => Number(a.at.rate) - Number(b.at.rate));
  const rates = held.map(({ subject, median }) => `${subject} ${printed(median)}`);
  return [
    `${better(times)} Requests a second that were held: ${rates.join(', ')}.\n`,
    measuredTables(
      byRate.map((figure) => ({ ...figure, what: 'mix' })),
      { subjects: true },
    ),
  ];
}

/** Says what another program needs less of than Pressroom, of time or memory, at the same rate. */
function better(figures: readonly Figure[]): string {
  const named = select(figures, { subject: OWN }).flatMap((own) =>
    select(figures, { metric: own.metric, at: own.at })
      .filter(({ median }) => median < own.median)
      .map(({ subject, metric, median, unit, at }) => {
        const values = `${printed(median)} instead of ${printed(own.median)} ${unit}`;
        return `${subject}, ${metric} at ${printed(Number(at.rate))} a second (${values})`;
      }),
  );
  if (named.length === 0) return 'At no rate does another program need less time or memory.';
  return `Less time or memory than ${OWN}: ${named.join('; ')}.`;
}
