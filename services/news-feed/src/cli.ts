import { reasonOf } from '@pressroom/common/failures/failure';
import { addLedgerCommands } from '@pressroom/common/ledger/commands';
import { SearchGate } from '@pressroom/common/search/search';
import { Command } from 'commander';
import { sql } from 'kysely';
import { archiveQuery } from './api/archive/schema.ts';
import { ArchiveStore } from './api/archive/store.ts';
import { systemClock } from './clock.ts';
import { addExplainCommand } from './newsroom/commands/explain.ts';
import { addUndoCommand } from './newsroom/commands/history.ts';
import { addImportCommand } from './newsroom/commands/import.ts';
import { addItemCommands } from './newsroom/commands/item.ts';
import { addPublishingCommands } from './newsroom/commands/publishing.ts';
import { addReplayCommand } from './newsroom/commands/replay.ts';
import { addSourceCommands } from './newsroom/commands/sources.ts';
import { addStatusCommands } from './newsroom/commands/status.ts';
import { addStoryCommands } from './newsroom/commands/story.ts';
import { addWorkCommand } from './newsroom/commands/work.ts';
import { checked } from './newsroom/editing/input-fault.ts';

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
  return new ArchiveStore(parts).page(checked(archiveQuery(vocabulary), parameters));
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
addReplayCommand(program);

await program.parseAsync().catch((error: unknown) => {
  console.error(reasonOf(error));
  process.exitCode = 1;
  // An open pipe would keep the process alive.
  process.stdin.destroy();
});
