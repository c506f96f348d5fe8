import { userInfo } from 'node:os';
import { withDatabase as withAnyDatabase } from '@pressroom/common/database/database-url';
import { integerParameter } from '@pressroom/common/fields/fields';
import { readLexicon } from '@pressroom/stories';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { readVocabulary } from '../../config.ts';
import { correctionNote } from '../../fields.ts';
import type { RenewalParts } from '../../grouping/story-renewal.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../words.ts';
import { editPath } from '../desk/items.ts';
import type { Edited } from '../edits.ts';
import { type HistoryEntry, type HistoryQuery, readHistory, undoEdit } from '../undo.ts';

/** The options of every command of the editor's shell. */
export interface PrintOptions {
  json?: boolean;
}

/** The options of every command that edits. */
export interface EditorOptions extends PrintOptions {
  by: string;
}

/** Adds `--json` to a command. */
export function withJsonOption(command: Command): Command {
  return command.option('--json', 'as JSON');
}

/** Adds `--json` and `--by` to a command. */
export function withEditorOptions(command: Command): Command {
  const by = new Option('--by <name>', 'who edits, for the history').env('NEWSROOM_BY');
  return withJsonOption(command).addOption(by.default(systemUser(), 'the user of the system'));
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.() ?? ''}`.trim();
  }
}

/** Dependencies for renewing the stories that a command's edit is about. */
export function renewalParts(): RenewalParts {
  const { packs } = readVocabulary(process.env);
  return { lexicon: readLexicon(packs), now: new Date() };
}

/** Prints a result as JSON if that was asked for, else as text. */
export function print<T>({ json }: PrintOptions, result: T, text: (result: T) => string): void {
  console.log(json ? JSON.stringify(result, null, 2) : text(result));
}

/** Prints the outcome of an edit, and the command that undoes it. */
export function printEdited(options: PrintOptions, id: string, { edit }: Edited<unknown>): void {
  print(options, { id, edit }, () =>
    edit === null ? `${id}: nothing was changed` : `${id}: done (edit ${edit})`,
  );
}

/** Prints members as lines: lists with commas, times in ISO 8601, and `-` for absent values. */
export function membersText(members: object): string {
  return Object.entries(members)
    .map(([name, value]) => `${name.padEnd(15)} ${valueText(value)}`)
    .join('\n');
}

function valueText(value: unknown): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return '-';
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Runs `work` with the database that the environment names, then closes it. */
export function withDatabase<T>(work: (db: Kysely<NewsTables>) => Promise<T>): Promise<T> {
  return withAnyDatabase('pressroom newsroom', work);
}

/** Runs `work` with the database, and with what the site calls things: the settings of the desk included. */
export function withNewsroom<T>(
  work: (db: Kysely<NewsTables>, vocabulary: Vocabulary) => Promise<T>,
): Promise<T> {
  const vocabulary = readVocabulary(process.env);
  return withDatabase(async (db) => {
    await vocabulary.settings.follow(db);
    return work(db, vocabulary);
  });
}

/** Adds `history` to the commands on a kind of things. */
export function addHistoryCommand(parent: Command, kind: HistoryQuery['kind']): void {
  withJsonOption(parent.command('history'))
    .description('show who changed it, when and what, the newest first')
    .argument('<id>')
    .option('--limit <edits>', 'how many edits at most', readAs(integerParameter(1)), 100)
    .action(async (subject: string, { limit, ...options }: PrintOptions & { limit: number }) => {
      const entries = await withDatabase((db) => readHistory(db, { kind, subject, limit }));
      print(options, entries, (all) =>
        all.length === 0 ? 'Nobody has edited it.' : all.map(entryText).join('\n'),
      );
    });
}

/** Reads the note of a correction; an empty one is none. */
export function readNote(text: string): string | null {
  return text === '' ? null : readAs(correctionNote)(text);
}

/** `newsroom undo`. */
export function addUndoCommand(program: Command): void {
  withEditorOptions(program.command('undo'))
    .description('undo an edit by another one, unless what it changed has been changed again')
    .argument('<edit>', 'its number, as the history shows it', readAs(editPath.shape.edit))
    .action(async (number: number, options: EditorOptions) => {
      const undone = await withNewsroom((db, vocabulary) =>
        undoEdit(db, number, undoParts(options, vocabulary)),
      );
      printEdited(options, `undo ${number}`, undone);
    });
}

/** Dependencies for undoing edits by a command. */
export function undoParts({ by: actor }: EditorOptions, { calendar }: Vocabulary) {
  return { actor, renewal: renewalParts(), zone: calendar.zone };
}

function entryText({ edit, at, actor, program, action, undoes, undoneBy, changes }: HistoryEntry): string {
  const what = undoes === null ? action : `${action} ${undoes}`;
  const undone = undoneBy === null ? '' : `, undone by ${undoneBy}`;
  return [
    `${edit}  ${at.toISOString()}  ${actor ?? program}: ${what}${undone}`,
    ...changes.map(({ member, before, after }) => `    ${member}: ${shown(before)} → ${shown(after)}`),
  ].join('\n');
}

function shown(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** Reads an argument as the schema of an operation does. */
export function readAs<Value>(schema: z.ZodType<Value>): (text: string) => Value {
  return (text) => {
    const { data, error } = schema.safeParse(text);
    if (error === undefined) return data;
    const faults = error.issues.map(({ message }) => message.replace(/^must be/, 'Expected'));
    throw new InvalidArgumentError(`${faults.join('; ')}.`);
  };
}
