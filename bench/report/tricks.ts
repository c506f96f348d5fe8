import type { FiguresFile } from '../figures/figure.ts';
import { select, unique } from '../figures/read.ts';
import { printed, table } from './section.ts';

/** What each cached answer needs. */
const CACHED = new Set(['event-line.ts', 'line-batch.ts', 'entity-tag.ts']);

/**
 * The table of `packages/common/src/fast`: what each file replaces, what both take, and what that saves of a
 * cached answer, which `content` measures.
 */
export function tricksTable({ figures }: FiguresFile, content: FiguresFile): string {
  const whole = ['cpu, user', 'cpu, system'].reduce((sum, metric) => {
    const [figure] = select(content.figures, { what: 'hot list, 200', subject: 'content', metric });
    return sum + (figure?.median ?? Number.NaN);
  }, 0);
  const rows = unique(figures.map(({ what }) => what)).map((what) => {
    const [trick, plain] = select(figures, { what });
    const saved = (plain?.median ?? Number.NaN) - (trick?.median ?? Number.NaN);
    return [
      `\`${what}\``,
      plain?.subject ?? '',
      `${printed(trick?.median ?? Number.NaN)} µs`,
      `${printed(plain?.median ?? Number.NaN)} µs`,
      CACHED.has(what) ? `${Math.round((100 * saved) / whole)} %` : '',
    ];
  });
  const head = [
    'File',
    'Instead of',
    'Takes',
    'Instead of',
    `Saves, of the ${printed(whole)} µs of a cached list`,
  ];
  return table(head, rows);
}
