import { reasonOf } from '@pressroom/common/failures/failure';
import { addLedgerCommands } from '@pressroom/common/ledger/commands';
import { SearchGate } from '@pressroom/common/search/search';
import { Command } from 'commander';
import { sql } from 'kysely';
import { archiveQuery } from './api/archive.ts';
import { ArchiveStore } from './api/archive-store.ts';
import { systemClock } from './calendar.ts';
import { addExplainCommand, addItemCommands } from './editing/commands/item.ts';
import { addUndoCommand } from './editing/commands/options.ts';
import { addPublishingCommands } from './editing/commands/publishing.ts';
import { addSourceCommands } from './editing/commands/sources.ts';
import { addImportCommand, addStatusCommands, addWorkCommand } from './editing/commands/status.ts';
import { addStoryCommands } from './editing/commands/story.ts';
import { parseInput } from './editing/parse-input.ts';

const program = new Command('newsroom').description(
  'Edit and publish what the news feed shows, by hand or on a schedule',
);
addSourceCommands(program);
// Loaded when it is needed: the other commands would start slower.
addWorkCommand(program, async (config, log) => (await import('./run-worker.ts')).runWorker(config, log));
addStatusCommands(program);
addImportCommand(program);
addItemCommands(program, (db, vocabulary, parameters) => {
  const parts = { db, gate: new SearchGate(db, 1), calendar: vocabulary.calendar, clock: systemClock };
  return new ArchiveStore(parts).page(parseInput(archiveQuery(vocabulary), parameters));
});
addExplainCommand(program);
addStoryCommands(program);
addUndoCommand(program);
addPublishingCommands(program);
addLedgerCommands(program, {
  of: 'the selected set',
  schema: 'news',
  count: sql`select count(*) from news.item where in_selected_set`,
  name: 'pressroom newsroom',
});

await program.parseAsync().catch((error: unknown) => {
  console.error(reasonOf(error));
  process.exitCode = 1;
  // An open pipe would keep the process alive.
  process.stdin.destroy();
});
