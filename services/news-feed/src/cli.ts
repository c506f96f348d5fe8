import { reasonOf } from '@pressroom/common/start/reason';
import { Command } from 'commander';
import { addExplainCommand } from './newsroom/commands/explain.ts';
import { addImportCommand } from './newsroom/commands/import.ts';
import { addItemCommands } from './newsroom/commands/item.ts';
import { addLedgerCommands } from './newsroom/commands/ledger.ts';
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
addLedgerCommands(program);
addReplayCommand(program);

await program.parseAsync().catch((error: unknown) => {
  console.error(reasonOf(error));
  process.exitCode = 1;
  // An open pipe would keep the process alive.
  process.stdin.destroy();
});
