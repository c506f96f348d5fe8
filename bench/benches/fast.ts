import type { Bench } from '../bench.ts';
import { measureBodies } from '../fast/bodies.ts';
import { measureLines } from '../fast/lines.ts';
import { measureLists } from '../fast/lists.ts';
import { measureStatements } from '../fast/statements.ts';
import type { FiguresFile } from '../figures/figure.ts';
import { fileOf, medianOf, membersOf, select } from '../figures/read.ts';
import { printed, sectionOf, table } from '../report/section.ts';

/** How often each way is gone in one round, unless it takes too long for that. */
const TIMES = 100_000;

/** What each cached answer needs. */
const CACHED = ['event-line.ts', 'line-batch.ts', 'entity-tag.ts'];

/**
 * The table of `packages/common/src/fast`: what each file replaces, what both take, and what that saves of a
 * cached answer, which `content` measures.
 */
function tricksTable({ figures }: FiguresFile, content: FiguresFile): string {
  const hot = { what: 'hot list, 200', subject: 'content' };
  const [user, system] = ['cpu, user', 'cpu, system'].map((metric) =>
    medianOf(content.figures, { ...hot, metric }),
  );
  const whole = (user ?? 0) + (system ?? 0);
  const rows = membersOf(figures, 'what').map((what) => {
    const instead = membersOf(select(figures, { what }), 'subject')[1] ?? '';
    const [trick, plain] = ['trick', instead].map((subject) => medianOf(figures, { what, subject }));
    const saved = (plain ?? 0) - (trick ?? 0);
    return [
      `\`${what}\``,
      instead,
      `${printed(trick ?? 0)} µs`,
      `${printed(plain ?? 0)} µs`,
      CACHED.includes(what) ? `${Math.round((100 * saved) / whole)} %` : '',
    ];
  });
  const saves = `Saves, of the ${printed(whole)} µs of a cached list`;
  return table(['File', 'Instead of', 'Takes', 'Instead of', saves], rows);
}

/** `pnpm bench fast [PART …] [TIMES]`: what each trick for speed saves per use, compared to the plain way. */
export const fast: Bench = {
  parts: ([times = TIMES]) => [
    { name: 'lines', seconds: 10, run: () => measureLines(times) },
    { name: 'bodies', seconds: 30, run: measureBodies },
    { name: 'statements', seconds: 15, run: measureStatements },
    { name: 'lists', seconds: 5, run: measureLists },
  ],
  sections: { fast: sectionOf('fast', (file, files) => [tricksTable(file, fileOf(files, 'content'))]) },
};
