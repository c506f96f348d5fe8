import type { Figure } from '../figures/figure.ts';
import { membersOf, select, valuesOf } from '../figures/read.ts';
import { drawLines, type Point } from './lines.ts';
import { shortfalls } from './measured.ts';
import { type Picture, printed, type SectionMaker, sectionOf, table, withQuartiles } from './section.ts';

/** The number of rows that all others are compared with. */
export const SMALLEST = 10_000;

/** The table of growth, and the multiples that miss their aims at the most rows. */
export function growthSection(bench: string): SectionMaker {
  return sectionOf(bench, (figures) => {
    const multiples = select(figures, { metric: 'multiple' });
    const rows = Math.max(...valuesOf(multiples, 'rows').map(Number));
    return [growthTable(figures), shortfalls(select(multiples, { at: { rows } }))];
  });
}

/** The pictures of how the services grow, as benches have measured it. */
export function growthPictures(benches: readonly string[]): SectionMaker {
  return sectionOf(benches, picturesOf);
}

/**
 * For each question its time with the most rows, and for each number of rows that time as a multiple of the
 * one with the fewest.
 */
function growthTable(figures: readonly Figure[]): string {
  const multiples = select(figures, { metric: 'multiple' });
  const sizes = valuesOf(multiples, 'rows').map(Number);
  const largest = Math.max(...sizes);
  const times = membersOf(multiples, 'what').map((what) => {
    const own = sizes.map((rows) => select(multiples, { what, at: { rows } })[0]);
    const time = select(figures, { what, at: { rows: largest } }).find(({ metric }) => /^p\d+$/.test(metric));
    return [
      what,
      ...own.map((figure) => (figure === undefined ? '' : withQuartiles(figure))),
      printed(own[0]?.aim ?? Number.NaN),
      time === undefined ? '' : `${time.metric} ${printed(time.median)} ms`,
    ];
  });
  const heads = sizes.map((rows) => `${printed(rows)} (quartiles)`);
  return table(['multiple of the time with 10,000', ...heads, 'aim', `with ${printed(largest)}`], times);
}

/** A picture for each service, and one for searches: how much longer each request takes with more rows. */
function picturesOf(figures: readonly Figure[]): Picture[] {
  const multiples = select(figures, { metric: 'multiple' });
  const groups = Map.groupBy(multiples, ({ what, subject }) =>
    what.startsWith('search') ? 'search' : subject,
  );
  return [...groups].map(([name, own]) => {
    const points = membersOf(own, 'what').flatMap((series): Point[] => [
      { series, x: SMALLEST, y: 1 },
      ...select(own, { what: series }).map(({ at, median }) => ({ series, x: Number(at.rows), y: median })),
    ]);
    return {
      name: `growth-${name}`,
      alt: `${name}: latency of each request as a multiple of that with 10,000 rows`,
      draw: (theme) => drawLines({ x: 'rows →', y: `↑ ${name}: times as long`, points }, theme),
    };
  });
}
