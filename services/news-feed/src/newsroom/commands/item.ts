import { type Command, InvalidArgumentError } from 'commander';
import { readVocabulary } from '../../config.ts';
import { type ItemChange, itemChangeReader } from '../editing/item-input.ts';
import { editItem, restoreItem, retellItem, withdrawItem } from '../editing/items.ts';
import { readLexicon } from '../stories/lexicon.ts';
import { inTransactions } from '../transactions.ts';
import { withDatabase } from './with-database.ts';

/** The options of `item edit`; an empty text removes an optional member. */
interface EditOptions {
  title?: string;
  originalTitle?: string;
  summary?: string;
  category?: string;
  score?: number | null;
  reason?: string;
  directions?: string;
  image?: string;
  language?: string;
  story?: string;
}

/** `newsroom item`. */
export function addItemCommands(program: Command): void {
  const item = program.command('item').description('edit single items by id');
  item
    .command('edit')
    .description('change the members of an item; an empty text removes an optional member')
    .argument('<id>')
    .option('--title <text>')
    .option('--original-title <text>')
    .option('--summary <text>')
    .option('--category <name>')
    .option('--score <number>', '0 to 100', score)
    .option('--reason <text>', 'why it was selected')
    .option('--directions <names>', 'separated by commas')
    .option('--image <url>', 'the address of its picture')
    .option('--language <tag>', 'that of the original article, such as pt-BR')
    .option('--story <publicId>')
    .action((id: string, options: EditOptions) => edit(id, options));
  item
    .command('select')
    .description('add an item to the selected set')
    .argument('<id>')
    .option('--reason <text>', 'why')
    .action((id: string, { reason }: { reason?: string }) =>
      edit(id, { ...(reason !== undefined && { reason }) }, { selected: true }),
    );
  item
    .command('deselect')
    .description('remove an item from the selected set; it stays public')
    .argument('<id>')
    .action((id: string) => edit(id, {}, { selected: false }));
  item
    .command('withdraw')
    .description('remove an item from every answer')
    .argument('<id>')
    .action((id: string) => setWithdrawal(withdrawItem, id));
  item
    .command('restore')
    .description('restore a withdrawn item')
    .argument('<id>')
    .action((id: string) => setWithdrawal(restoreItem, id));
}

async function edit(id: string, options: EditOptions, selection: ItemChange = {}): Promise<void> {
  const { directions, title, image, ...texts } = options;
  const nullable = Object.entries(texts).map(([name, value]) => [name, value === '' ? null : value]);
  const change = itemChangeReader(readVocabulary(process.env))({
    ...Object.fromEntries(nullable),
    ...(title !== undefined && { title }),
    ...(image !== undefined && { image: image === '' ? null : { url: image } }),
    ...(directions !== undefined && { directions: directions.split(',').filter((name) => name !== '') }),
    ...selection,
  });
  if (Object.keys(change).length === 0) throw new Error('nothing to change: see `newsroom item edit --help`');
  const renewal = { lexicon: readLexicon(), now: new Date() };
  await withDatabase((db) =>
    inTransactions(db)(async (tx) => retellItem(tx, await editItem(tx, id, change), renewal)),
  );
  done(id);
}

async function setWithdrawal(set: typeof withdrawItem, id: string): Promise<void> {
  const renewal = { lexicon: readLexicon(), now: new Date() };
  await withDatabase((db) => inTransactions(db)((tx) => set(tx, id, renewal)));
  done(id);
}

function score(value: string): number | null {
  if (value === '') return null;
  if (!/^\d+(\.\d+)?$/.test(value) || Number(value) > 100) {
    throw new InvalidArgumentError('Expected a number from 0 to 100.');
  }
  return Number(value);
}

function done(id: string): void {
  console.log(`${id}: done`);
}
