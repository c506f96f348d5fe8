import { cutText } from './plain-text.ts';

/** The most sentences of a summary. */
const MAX_SENTENCES = 3;

/** The most characters of a summary; a longer first sentence is cut at a word. */
const MAX_CHARACTERS = 600;

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
const WORDS = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * At most three sentences of a text (Unicode Standard Annex 29), cut at the end of a sentence; null if it is
 * empty.
 */
export function summaryOf(text: string): string | null {
  // Further sentences could not be part of it.
  const head = text.slice(0, 10 * MAX_CHARACTERS).trim();
  let summary = '';
  let sentences = 0;
  for (const { segment } of SENTENCES.segment(head)) {
    if (sentences === MAX_SENTENCES || (summary + segment).trimEnd().length > MAX_CHARACTERS) break;
    summary += segment;
    sentences += 1;
  }
  if (head === '') return null;
  return summary.trim() || cutAtWord(head);
}

function cutAtWord(sentence: string): string {
  let cut = '';
  for (const { segment } of WORDS.segment(sentence)) {
    if (cut.length + segment.length >= MAX_CHARACTERS) break;
    cut += segment;
  }
  return `${cut.trim() || cutText(sentence, MAX_CHARACTERS - 1)}…`;
}
