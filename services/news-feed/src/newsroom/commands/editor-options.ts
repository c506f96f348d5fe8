import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import { readVocabulary } from '../../config.ts';
import type { Edited } from '../edits.ts';
import { readLexicon } from '../stories/lexicon.ts';
import type { RenewalParts } from '../stories/renew-stories.ts';

/** The options of every command of the editor's shell. */
export interface PrintOptions {
  json?: boolean;
}

/** The options of every command that edits. */
export interface EditorOptions extends PrintOptions {
  by: string;
}

/** Adds `--json` to a command. */
export function printing(command: Command): Command {
  return command.option('--json', 'as JSON');
}

/** Adds `--json` and `--by` to a command. */
export function editing(command: Command): Command {
  const by = new Option('--by <name>', 'who edits, for the history').env('NEWSROOM_BY');
  return printing(command).addOption(by.default(systemUser(), 'the user of the system'));
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.() ?? ''}`.trim();
  }
}

/** What a command renews the stories with that its edit is about. */
export function renewalParts(): RenewalParts {
  const { packs } = readVocabulary(process.env);
  return { lexicon: readLexicon(packs), now: new Date() };
}

/** Prints a result as JSON if that was asked for, else as text. */
export function print<T>({ json }: PrintOptions, result: T, text: (result: T) => string): void {
  console.log(json ? JSON.stringify(result, null, 2) : text(result));
}

/** Prints what became of an edit of something, and what undoes it. */
export function printEdited(options: PrintOptions, id: string, { edit }: Edited<unknown>): void {
  print(options, { id, edit }, () =>
    edit === null ? `${id}: nothing was changed` : `${id}: done (edit ${edit})`,
  );
}

/** Members as lines: lists with commas, times in ISO 8601, and `-` for what there is not. */
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
