import type { Command } from 'commander';
import { readJudgement } from '../editorial/judgements.ts';
import { type PrintOptions, print, printing } from './editor-options.ts';
import { withDatabase } from './with-database.ts';

/** `newsroom explain`. */
export function addExplainCommand(program: Command): void {
  printing(program.command('explain'))
    .description('show why the editor gave an item its score')
    .argument('<id>')
    .action(async (id: string, options: PrintOptions) =>
      print(options, await withDatabase((db) => readJudgement(db, id)), judgementText),
    );
}

function judgementText(item: Awaited<ReturnType<typeof readJudgement>>): string {
  const directions = item.directions.length > 0 ? item.directions.join(', ') : 'no direction';
  const place = `${item.category ?? 'no category'}; ${directions}; ${item.story === null ? 'no story' : `story ${item.story}`}`;
  const lines = [
    `${item.title} [${item.source_name}]`,
    `  ${place}; score ${item.score ?? 'none'}; ${item.selected ? 'selected' : 'not selected'}`,
  ];
  if (item.terms === null || item.judged_at === null) {
    return [...lines, '  No editor has judged it: its values were imported or edited.'].join('\n');
  }
  const verdict = item.judged_selected ? 'selected' : 'not selected';
  return [
    ...lines,
    `Judged at ${item.judged_at.toISOString()}: score ${item.judged_score ?? 'none'}, ${verdict}`,
    ...item.terms.map(
      ({ name, points, note }) => `  ${points.toFixed(1).padStart(6)}  ${name}${note ? ` (${note})` : ''}`,
    ),
  ].join('\n');
}
