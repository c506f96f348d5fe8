import type { Figure } from '../figures/figure.ts';
import { membersOf, select } from '../figures/read.ts';
import { measuredTables } from './measured.ts';
import { printed } from './section.ts';

/** The program with whose figures the others are compared. */
const OWN = 'Pressroom';

/** Tables of the programs behind the proxy: first who is better in what, then all by rate. */
export function deployedTables(figures: readonly Figure[]): string[] {
  const held = select(figures, { metric: 'held rate' });
  const times = figures.filter(({ metric }) => metric !== 'held rate');
  const byRate = times.toSorted((a, b) => Number(a.at.rate) - Number(b.at.rate));
  const rates = held.map(({ subject, median }) => `${subject} ${printed(median)}`);
  return [
    `Requests a second that were held: ${rates.join(', ')}. ${better(times)}\n`,
    measuredTables(
      byRate.map((figure) => ({ ...figure, what: 'mix' })),
      { subjects: true },
    ),
  ];
}

/** Says of what another program needs less than Pressroom, and at which rate it is furthest ahead. */
function better(figures: readonly Figure[]): string {
  const named = membersOf(figures, 'subject').flatMap((subject) =>
    membersOf(figures, 'metric').flatMap((metric) => {
      const ahead = select(figures, { subject, metric }).flatMap((figure) => {
        const [own] = select(figures, { subject: OWN, metric, at: figure.at });
        return own !== undefined && figure.median < own.median ? [{ figure, own }] : [];
      });
      const [furthest] = ahead.toSorted((a, b) => shareOf(a) - shareOf(b));
      if (furthest === undefined) return [];
      const { figure, own } = furthest;
      const values = `${printed(figure.median)} instead of ${printed(own.median)} ${own.unit}`;
      const rate = printed(Number(own.at.rate));
      return `${subject}, ${metric} at ${ahead.length} rates, furthest at ${rate} a second (${values})`;
    }),
  );
  if (named.length === 0) return 'At no rate does another program need less time or memory.';
  return `Less time or memory than ${OWN}: ${named.join('; ')}.`;
}

function shareOf({ figure, own }: { figure: Figure; own: Figure }): number {
  return figure.median / own.median;
}
