import { readFileSync } from 'node:fs';
import { fileFailure } from '@pressroom/common/files/file-failure';
import type { Command } from 'commander';
import { mergeStories, setDigest } from '../editing/stories.ts';
import { inTransactions } from '../transactions.ts';
import { withDatabase } from './with-database.ts';

/** `newsroom story`. */
export function addStoryCommands(program: Command): void {
  const story = program.command('story').description('stories, by their publicIds');
  story
    .command('merge')
    .description('make one story part of another one; its address leads there from now on')
    .argument('<from>')
    .argument('<into>')
    .action(async (from: string, into: string) => {
      const merged = await withDatabase((db) => inTransactions(db)((tx) => mergeStories(tx, from, into)));
      console.log(
        merged ? `${from} has become ${into}` : `${from} has become ${into} before; nothing was changed`,
      );
    });
  story
    .command('digest')
    .description(
      'replace the digest of a story by a text from a file or standard input; an empty one removes it',
    )
    .argument('<id>')
    .option('--file <file>', 'the file; - is standard input', '-')
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
