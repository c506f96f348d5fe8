import { cutText } from './plain-text.ts';
import { sentencesOf } from './sentences.ts';

/** The most sentences of a summary. */
const MAX_SENTENCES = 3;

/** The most characters of a summary; a longer first sentence is cut at a word. */
const MAX_CHARACTERS = 600;

const WORDS = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * At most three sentences of a text, cut at the end of a sentence; null if it is empty.
 */
export function summaryOf(text: string): string | null {
  return firstSentences(text, MAX_SENTENCES, MAX_CHARACTERS) || null;
}

/**
 * The first sentences of a text, `most` at most and within `characters`; a longer first sentence is cut at a
 * word. Empty if the text is.
 */
export function firstSentences(text: string, most: number, characters: number): string {
  // Further sentences could not be part of it.
  const head = text.slice(0, 10 * characters).trim();
  let found = '';
  let sentences = 0;
  for (const segment of sentencesOf(head)) {
    if (sentences === most || (found + segment).trimEnd().length > characters) break;
    found += segment;
    sentences += 1;
  }
  return head === '' ? '' : found.trim() || cutAtWord(head, characters);
}

function cutAtWord(sentence: string, characters: number): string {
  let cut = '';
  for (const { segment } of WORDS.segment(sentence)) {
    if (cut.length + segment.length >= characters) break;
    cut += segment;
  }
  return `${cut.trim() || cutText(sentence, characters - 1)}…`;
}
