import type { Node } from 'prosemirror-model';

/** How long an article is. */
export interface Statistics {
  /** Words as readers of the language count them: Chinese has no spaces between them. */
  readonly words: number;
  /** Characters that people see, white space not among them. */
  readonly characters: number;
}

/** One for all languages: words of a script without spaces are found by its own dictionary. */
const SEGMENTERS = {
  words: new Intl.Segmenter(undefined, { granularity: 'word' }),
  characters: new Intl.Segmenter(undefined, { granularity: 'grapheme' }),
};

/** Of lines, which do not change: a new key counts one of them again. */
const counted = new WeakMap<Node, Statistics>();

/** Counts what is written in an article. */
export function statisticsOf(article: Node): Statistics {
  let [words, characters] = [0, 0];
  article.descendants((node) => {
    if (!node.isTextblock) return true;
    const line = counted.get(node) ?? countLine(node);
    counted.set(node, line);
    words += line.words;
    characters += line.characters;
    return false;
  });
  return { words, characters };
}

function countLine(line: Node): Statistics {
  const text = line.textBetween(0, line.content.size, ' ', ' ');
  let [words, characters] = [0, 0];
  for (const { isWordLike } of SEGMENTERS.words.segment(text)) if (isWordLike) words += 1;
  for (const { segment } of SEGMENTERS.characters.segment(text)) if (/\S/.test(segment)) characters += 1;
  return { words, characters };
}
