import { addLedgerCommands } from '@pressroom/common/ledger/commands';
import { reasonOf } from '@pressroom/common/start/reason';
import { Command } from 'commander';
import { sql } from 'kysely';
import { addExplainCommand } from './newsroom/commands/explain.ts';
import { addImportCommand } from './newsroom/commands/import.ts';
import { addItemCommands } from './newsroom/commands/item.ts';
import { addPublishingCommands } from './newsroom/commands/publishing.ts';
import { addReplayCommand } from './newsroom/commands/replay.ts';
import { addSourceCommands } from './newsroom/commands/sources.ts';
import { addStatusCommands } from './newsroom/commands/status.ts';
import { addStoryCommands } from './newsroom/commands/story.ts';
import { addWorkCommand } from './newsroom/commands/work.ts';

const program = new Command('newsroom').description(
  'Edit and publish what the news feed shows, by hand or on a schedule',
);
addSourceCommands(program);
// Loaded when it is needed: the other commands would start slower.
addWorkCommand(program, async (config, log) => (await import('./run-worker.ts')).runWorker(config, log));
addStatusCommands(program);
addImportCommand(program);
addItemCommands(program);
addExplainCommand(program);
addStoryCommands(program);
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
