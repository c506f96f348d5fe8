import { reasonOf } from '@pressroom/common/start/reason';
import { Command } from 'commander';
import { addImportCommand } from './newsroom/commands/import.ts';
import { addItemCommands } from './newsroom/commands/item.ts';
import { addLedgerCommands } from './newsroom/commands/ledger.ts';
import { addPublishingCommands } from './newsroom/commands/publishing.ts';
import { addStoryCommands } from './newsroom/commands/story.ts';

const program = new Command('newsroom').description('What editors and scheduled work do with the news feed');
addImportCommand(program);
addItemCommands(program);
addStoryCommands(program);
addPublishingCommands(program);
addLedgerCommands(program);

await program.parseAsync().catch((error: unknown) => {
  console.error(reasonOf(error));
  process.exitCode = 1;
  // A pipe that is still open would keep the process.
  process.stdin.destroy();
});
