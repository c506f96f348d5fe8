import { readFileSync } from 'node:fs';
import { fileFailure } from '@pressroom/common/files/file-failure';
import type { Command } from 'commander';
import { mergeStories, setDigest } from '../editing/stories.ts';
import { readLexicon } from '../stories/lexicon.ts';
import { splitStory } from '../stories/split.ts';
import { inTransactions } from '../transactions.ts';
import { withDatabase } from './with-database.ts';

/** `newsroom story`. */
export function addStoryCommands(program: Command): void {
  const story = program.command('story').description('edit stories by publicId');
  story
    .command('merge')
    .description('merge a story into another one; its address redirects there from now on')
    .argument('<from>')
    .argument('<into>')
    .action(async (from: string, into: string) => {
      const renewal = { lexicon: readLexicon(), now: new Date() };
      const merged = await withDatabase((db) =>
        inTransactions(db)((tx) => mergeStories(tx, from, into, renewal)),
      );
      console.log(
        merged ? `${from} has become ${into}` : `${from} had already become ${into}; nothing was changed`,
      );
    });
  story
    .command('split')
    .description('move reports of a story to a new story; the newsroom does not merge the two again')
    .argument('<id>')
    .argument('<items...>', 'the ids of the reports that go')
    .action(async (id: string, items: string[]) => {
      const renewal = { lexicon: readLexicon(), now: new Date() };
      const created = await withDatabase((db) =>
        inTransactions(db)((tx) => splitStory(tx, id, items, renewal)),
      );
      console.log(`${created}: the new story of ${items.join(', ')}`);
    });
  story
    .command('digest')
    .description(
      'replace the digest of a story with text from a file or standard input; an empty text removes it',
    )
    .argument('<id>')
    .option('--file <file>', 'the file, or - for standard input', '-')
    .action(async (id: string, { file }: { file: string }) => {
      const text = readText(file).trim();
      await withDatabase((db) => setDigest(db, id, text === '' ? null : text));
      console.log(`${id}: done`);
    });
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    throw fileFailure(error, file);
  }
}
