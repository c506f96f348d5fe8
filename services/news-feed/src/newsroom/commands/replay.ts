import { type Command, InvalidArgumentError } from 'commander';
import { readVocabulary } from '../../config.ts';
import { withDatabase } from './with-database.ts';

/** `newsroom replay`. */
export function addReplayCommand(program: Command): void {
  program
    .command('replay')
    .description('play made-up feeds to the newsroom in an empty database, and print what it ends in')
    .option('--sources <number>', 'how many feeds', whole, 60)
    .option('--days <number>', 'for how many days', whole, 7)
    .action(async ({ sources, days }: { sources: number; days: number }) => {
      // Loaded here alone, as for `work`.
      const { replay } = await import('../replay/replay.ts');
      const vocabulary = readVocabulary(process.env);
      const result = await withDatabase((db) => replay(db, { vocabulary, sources, days }));
      for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(9)} ${value}`);
    });
}

function whole(value: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value))
    throw new InvalidArgumentError('Expected a whole number from 1 to 9999.');
  return Number(value);
}
