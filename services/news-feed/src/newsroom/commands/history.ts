import { type Command, InvalidArgumentError } from 'commander';
import { readVocabulary } from '../../config.ts';
import { type HistoryEntry, type HistoryQuery, readHistory } from '../editing/history.ts';
import { undoEdit } from '../editing/undo.ts';
import {
  type EditorOptions,
  editing,
  type PrintOptions,
  print,
  printEdited,
  printing,
  renewalParts,
} from './editor-options.ts';
import { withDatabase } from './with-database.ts';

/** Adds `history` to the commands on a kind of things. */
export function addHistoryCommand(parent: Command, kind: HistoryQuery['kind']): void {
  printing(parent.command('history'))
    .description('show who changed it, when and what, the newest first')
    .argument('<id>')
    .option('--limit <edits>', 'how many edits at most', wholeNumber, 100)
    .action(async (subject: string, { limit, ...options }: PrintOptions & { limit: number }) => {
      const entries = await withDatabase((db) => readHistory(db, { kind, subject, limit }));
      print(options, entries, (all) =>
        all.length === 0 ? 'Nobody has edited it.' : all.map(entryText).join('\n'),
      );
    });
}

/** `newsroom undo`. */
export function addUndoCommand(program: Command): void {
  editing(program.command('undo'))
    .description('undo an edit by another one, unless what it changed has been changed again')
    .argument('<edit>', 'its number, as the history shows it', wholeNumber)
    .action(async (number: number, options: EditorOptions) => {
      const parts = undoParts(options);
      printEdited(options, `undo ${number}`, await withDatabase((db) => undoEdit(db, number, parts)));
    });
}

/** What edits are undone with by a command. */
export function undoParts({ by: actor }: EditorOptions) {
  const { calendar } = readVocabulary(process.env);
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

function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(value);
}
