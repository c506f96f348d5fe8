import { Failure } from '@pressroom/common/failures/failure';
import type { Command } from 'commander';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { readJudgement } from '../../grouping/judging.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../words.ts';
import { withdrawnQuery } from '../desk/items.ts';
import { inEdit } from '../edits.ts';
import { ITEM_MEMBERS, type ItemChange, itemChangeReader } from '../item-members.ts';
import {
  changeItem,
  type ItemDetail,
  readItemDetail,
  readWithdrawn,
  restoreItem,
  withdrawItem,
} from '../items.ts';
import { parseInput } from '../parse-input.ts';
import {
  addHistoryCommand,
  type EditorOptions,
  membersText,
  type PrintOptions,
  print,
  printEdited,
  readAs,
  renewalParts,
  withDatabase,
  withEditorOptions,
  withJsonOption,
  withNewsroom,
} from './options.ts';

/** A page of the public items, the newest first. */
interface ItemPage {
  items: {
    id: string;
    title: string;
    source_name: string;
    published_at: Date;
    category: string | null;
    score: number | null;
    selected: boolean;
  }[];
  nextCursor: string | null;
}

/** Reads a page of the archive by its parameters. Throws a `Failure` for wrong ones. */
type ReadArchive = (
  db: Kysely<NewsTables>,
  vocabulary: Vocabulary,
  parameters: Readonly<Record<string, string>>,
) => Promise<ItemPage>;

/** The options of `item list`, besides the parameters of the archive. */
interface ListOptions extends PrintOptions {
  selected?: boolean;
  withdrawn?: boolean;
  limit: string;
  [parameter: string]: string | boolean | undefined;
}

/** The options of `item edit`: members by their names; an empty text removes an optional one. */
type EditOptions = EditorOptions & Partial<Record<keyof typeof ITEM_MEMBERS, unknown>>;

/** `newsroom item`. */
export function addItemCommands(program: Command, readArchive: ReadArchive): void {
  const item = program.command('item').description('list, search and edit items');
  withJsonOption(item.command('show'))
    .description('show all of an item, its story, its sources and the reports that quote it')
    .argument('<id>')
    .action(async (id: string, options: PrintOptions) =>
      print(options, await withDatabase((db) => readItemDetail(db, id)), itemText),
    );
  filtered(item.command('list'))
    .description('list items, the last published first')
    .option('--withdrawn', 'those that were withdrawn, the last withdrawn first')
    .action((options: ListOptions) => list(readArchive, options));
  filtered(item.command('search'))
    .description('list the items with all words in their title or summary')
    .argument('<words...>')
    .action((words: string[], options: ListOptions) => list(readArchive, { ...options, q: words.join(' ') }));
  addHistoryCommand(item, 'item');
  const editCommand = withEditorOptions(item.command('edit'))
    .description('change the members of an item; an empty text removes an optional member')
    .argument('<id>')
    .action((id: string, options: EditOptions) => edit('item edit', id, options));
  for (const [name, member] of Object.entries(ITEM_MEMBERS)) {
    if (!('flag' in member)) continue;
    const [value, about = ''] = member.flag;
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    editCommand.option(`--${flag} <${value}>`, about, (text) => memberOf(name, text));
  }
  withEditorOptions(item.command('select'))
    .description('add an item to the selected set')
    .argument('<id>')
    .option('--reason <text>', 'why', (text) => memberOf('reason', text))
    .action((id: string, options: EditOptions) => edit('item select', id, options, { selected: true }));
  withEditorOptions(item.command('deselect'))
    .description('remove an item from the selected set; it stays public')
    .argument('<id>')
    .action((id: string, options: EditOptions) => edit('item deselect', id, options, { selected: false }));
  withEditorOptions(item.command('withdraw'))
    .description('remove an item from every answer')
    .argument('<id>')
    .action((id: string, options: EditorOptions) =>
      setWithdrawal('item withdraw', withdrawItem, id, options),
    );
  withEditorOptions(item.command('restore'))
    .description('restore a withdrawn item')
    .argument('<id>')
    .action((id: string, options: EditorOptions) => setWithdrawal('item restore', restoreItem, id, options));
}

/** Adds the parameters of the archive to a command. */
function filtered(command: Command): Command {
  return withJsonOption(command)
    .option('--selected', 'only selected ones')
    .option('--source <name>')
    .option('--category <name>')
    .option('--direction <name>')
    .option('--language <tag>')
    .option('--from <date>', 'the first day of publication, such as 2027-01-31')
    .option('--to <date>', 'the last day of publication')
    .option('--cursor <cursor>', 'the next page, as the one before names it')
    .option('--limit <items>', '1 to 100', '50');
}

async function list(readArchive: ReadArchive, options: ListOptions): Promise<void> {
  const { json, withdrawn, selected, ...parameters } = options;
  const given = Object.entries({ ...parameters, ...(selected && { selected: 'true' }) });
  if (withdrawn && given.length > 1)
    throw new Failure('refused', '--withdrawn takes no parameter but --limit');
  const query: Record<string, string> = Object.fromEntries(
    given.map(([name, value]) => [name, String(value)]),
  );
  const page = await withNewsroom(async (db, vocabulary) =>
    withdrawn
      ? {
          items: await readWithdrawn(db, parseInput(withdrawnQuery, { limit: options.limit }).limit),
          nextCursor: null,
        }
      : shown(await readArchive(db, vocabulary, query)),
  );
  print({ json }, page, ({ items, nextCursor }) =>
    [
      ...(items.length === 0 ? ['There are no such items.'] : []),
      ...items.map(({ id, title, sourceName, publishedAt, category, score, selected: isSelected }) => {
        const about = [
          category ?? 'no category',
          `score ${score ?? 'none'}`,
          ...(isSelected ? ['selected'] : []),
        ];
        return `${id}  ${publishedAt.toISOString()}  ${title} [${sourceName}]\n    ${about.join(', ')}`;
      }),
      ...(nextCursor === null ? [] : [`More with --cursor ${nextCursor}`]),
    ].join('\n'),
  );
}

function shown({ items, nextCursor }: ItemPage) {
  const listed = items.map(({ id, title, source_name, published_at, category, score, selected }) => ({
    ...{ id, title, sourceName: source_name, publishedAt: published_at, category, score, selected },
  }));
  return { items: listed, nextCursor };
}

function itemText({ story, sources, reports, image, ...members }: ItemDetail): string {
  return membersText({
    ...members,
    image: image?.url ?? null,
    story: story === null ? null : `${story.publicId} (${story.title})`,
    sources: sources.map((source) => `${source.id} (${source.name}${source.isFollowed ? ', followed' : ''})`),
    reports: reports.map(({ period, date }) => `${period} ${date}`),
  });
}

async function edit(
  action: string,
  id: string,
  options: EditOptions,
  selection: ItemChange = {},
): Promise<void> {
  const { by: actor, json, ...given } = options;
  const members = Object.entries(given).map(([name, value]) => [
    name,
    value === '' && name !== 'title' ? null : value,
  ]);
  const wanted = { ...Object.fromEntries(members), ...selection };
  if (Object.keys(wanted).length === 0) throw new Error('nothing to change: see `newsroom item edit --help`');
  const renewal = renewalParts();
  const edited = await withNewsroom((db, vocabulary) =>
    changeItem(db, id, itemChangeReader(vocabulary)(wanted), { actor, action, renewal }),
  );
  printEdited({ json }, id, edited);
}

async function setWithdrawal(
  action: string,
  set: typeof withdrawItem,
  id: string,
  options: EditorOptions,
): Promise<void> {
  const renewal = renewalParts();
  const edited = await withDatabase((db) =>
    inEdit(db, { actor: options.by, action }, (tx) => set(tx, id, renewal)),
  );
  printEdited(options, id, edited);
}

const readScore = readAs(z.preprocess(Number, ITEM_MEMBERS.score.input()));

/** Parses the text of an option. */
function memberOf(name: string, text: string): unknown {
  if (name === 'directions') return text.split(',').filter((direction) => direction !== '');
  if (text === '') return text;
  if (name === 'authors' || name === 'tags') return text.split(',').map((one) => one.trim());
  if (name === 'image') return { url: text };
  return name === 'score' ? readScore(text) : text;
}

/** `newsroom explain`. */
export function addExplainCommand(program: Command): void {
  withJsonOption(program.command('explain'))
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
