import type { Node } from 'prosemirror-model';

/** One for all languages: words of a script without spaces are found by its own dictionary. */
const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Of lines, which do not change: a new key counts one of them again. */
const counted = new WeakMap<Node, number>();

/** Counts words in an article as readers of its language do: Chinese has no spaces between them. */
export function wordCount(article: Node): number {
  let words = 0;
  article.descendants((node) => {
    if (!node.isTextblock) return true;
    const line = counted.get(node) ?? wordsOfLine(node);
    counted.set(node, line);
    words += line;
    return false;
  });
  return words;
}

function wordsOfLine(line: Node): number {
  const text = line.textBetween(0, line.content.size, ' ', ' ');
  return [...SEGMENTER.segment(text)].filter(({ isWordLike }) => isWordLike).length;
}
