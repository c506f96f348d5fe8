import { readTextFile } from '@pressroom/common/files/json-lines';
import { Argument, type Command } from 'commander';
import { splitStory } from '../../grouping/story-renewal.ts';
import { inEdit } from '../edits.ts';
import {
  HOT_PLACES,
  mergeStories,
  readStoryDetail,
  type StoryDetail,
  setCorrection,
  setDigest,
  setHotPlace,
} from '../stories.ts';
import { unmergeStory } from '../undo.ts';
import {
  addHistoryCommand,
  type EditorOptions,
  membersText,
  type PrintOptions,
  print,
  printEdited,
  readNote,
  renewalParts,
  undoParts,
  withDatabase,
  withEditorOptions,
  withJsonOption,
  withNewsroom,
} from './options.ts';

/** `newsroom story`. */
export function addStoryCommands(program: Command): void {
  const story = program.command('story').description('show and edit stories by publicId');
  withJsonOption(story.command('show'))
    .description('show all of a story, its reports and the stories that it points to')
    .argument('<id>')
    .action(async (id: string, options: PrintOptions) =>
      print(options, await withDatabase((db) => readStoryDetail(db, id)), storyText),
    );
  addHistoryCommand(story, 'story');
  withEditorOptions(story.command('merge'))
    .description('merge a story into another one; its address redirects there from now on')
    .argument('<from>')
    .argument('<into>')
    .action(async (from: string, into: string, options: EditorOptions) => {
      const renewal = renewalParts();
      const { result: merged, edit } = await withDatabase((db) =>
        inEdit(db, { actor: options.by, action: 'story merge' }, (tx) =>
          mergeStories(tx, from, into, renewal),
        ),
      );
      print(options, { from, into, edit }, () =>
        merged ? `${from} has become ${into}` : `${from} had already become ${into}; nothing was changed`,
      );
    });
  withEditorOptions(story.command('unmerge'))
    .description('undo the merge of a story; the newsroom does not merge the two again')
    .argument('<id>', 'the story that was merged into another one')
    .action(async (id: string, options: EditorOptions) =>
      printEdited(
        options,
        id,
        await withNewsroom((db, vocabulary) => unmergeStory(db, id, undoParts(options, vocabulary))),
      ),
    );
  withEditorOptions(story.command('split'))
    .description('move reports of a story to a new story; the newsroom does not merge the two again')
    .argument('<id>')
    .argument('<items...>', 'the ids of the reports that go')
    .action(async (id: string, items: string[], options: EditorOptions) => {
      const renewal = renewalParts();
      const { result: created, edit } = await withDatabase((db) =>
        inEdit(db, { actor: options.by, action: 'story split' }, (tx) => splitStory(tx, id, items, renewal)),
      );
      print(options, { id: created, edit }, () => `${created}: the new story of ${items.join(', ')}`);
    });
  withEditorOptions(story.command('note'))
    .description('say to the readers of a story what was wrong with it or its digest')
    .argument('<id>')
    .argument('<note>', 'an empty one takes it back', readNote)
    .action(async (id: string, note: string | null, options: EditorOptions) => {
      const edited = await withDatabase((db) =>
        inEdit(db, { actor: options.by, action: 'story note' }, (tx) => setCorrection(tx, id, note)),
      );
      printEdited(options, id, edited);
    });
  withEditorOptions(story.command('place'))
    .description('pin a story in the hot list, hide it there, or leave it to its heat')
    .argument('<id>')
    .addArgument(new Argument('<place>').choices([...HOT_PLACES, 'none']))
    .action(async (id: string, given: 'none' | (typeof HOT_PLACES)[number], options: EditorOptions) => {
      const place = given === 'none' ? null : given;
      const edited = await withDatabase((db) =>
        inEdit(db, { actor: options.by, action: 'story place' }, (tx) => setHotPlace(tx, id, place)),
      );
      printEdited(options, id, edited);
    });
  withEditorOptions(story.command('digest'))
    .description(
      'replace the digest of a story with text from a file or standard input; an empty text removes it',
    )
    .argument('<id>')
    .option('--file <file>', 'the file, or - for standard input', '-')
    .action(async (id: string, { file, ...options }: EditorOptions & { file: string }) => {
      const text = readTextFile(file).trim();
      const edited = await withDatabase((db) =>
        inEdit(db, { actor: options.by, action: 'story digest' }, (tx) =>
          setDigest(tx, id, text === '' ? null : text),
        ),
      );
      printEdited(options, id, edited);
    });
}

function storyText({ merged, references, reports, ...members }: StoryDetail): string {
  return [
    membersText({
      ...members,
      merged: merged.map(({ publicId, title }) => `${publicId} (${title})`),
      references: references.map(({ kind, publicId, relation }) => `${publicId} (${kind}: ${relation})`),
    }),
    ...reports.map(
      ({ id, title, sourceName, publishedAt, withdrawnAt }) =>
        `${publishedAt.toISOString()}  ${id}  ${title} [${sourceName}]${withdrawnAt === null ? '' : ', withdrawn'}`,
    ),
  ].join('\n');
}
