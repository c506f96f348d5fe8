import { readFileSync } from 'node:fs';
import wordListPath from 'word-list';

let words: string | undefined;

/** Whether a dictionary of English has a word, in any of its forms; it has hardly any names. */
export function isEnglishWord(word: string): boolean {
  // Read when it is first needed, and searched as text: a set would take ten times the memory.
  words ??= `\n${readFileSync(wordListPath, 'utf8')}\n`;
  return words.includes(`\n${word.toLowerCase()}\n`);
}
