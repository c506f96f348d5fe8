import type { Command } from 'commander';
import { readJudgement } from '../editorial/judgements.ts';
import { withDatabase } from './with-database.ts';

/** `newsroom explain`. */
export function addExplainCommand(program: Command): void {
  program
    .command('explain')
    .description('show why the editor gave an item its score')
    .argument('<id>')
    .action((id: string) => explain(id));
}

async function explain(id: string): Promise<void> {
  const item = await withDatabase((db) => readJudgement(db, id));
  console.log(`${item.title} [${item.source_name}]`);
  const directions = item.directions.length > 0 ? item.directions.join(', ') : 'no direction';
  const place = `${item.category ?? 'no category'}; ${directions}; ${item.story === null ? 'no story' : `story ${item.story}`}`;
  console.log(`  ${place}; score ${item.score ?? 'none'}; ${item.selected ? 'selected' : 'not selected'}`);
  if (item.terms === null || item.judged_at === null) {
    return console.log('  No editor has judged it: its values were imported or edited.');
  }
  const verdict = item.judged_selected ? 'selected' : 'not selected';
  console.log(`Judged at ${item.judged_at.toISOString()}: score ${item.judged_score ?? 'none'}, ${verdict}`);
  for (const { name, points, note } of item.terms) {
    console.log(`  ${points.toFixed(1).padStart(6)}  ${name}${note ? ` (${note})` : ''}`);
  }
}
