import type { Node } from 'prosemirror-model';

/** How long a text is, in what its writers count: Chinese and Japanese characters, or words. */
export interface TextLength {
  readonly count: number;
  readonly unit: 'characters' | 'words';
}

interface Parts {
  /** Chinese and Japanese characters. */
  readonly characters: number;
  readonly otherWords: number;
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'word' });

const CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** Of lines, which do not change: a new key counts one of them again. */
const counted = new WeakMap<Node, Parts>();

/** The length of an article. One that is mostly Chinese or Japanese has other words as one character each. */
export function textLength(article: Node): TextLength {
  let [characters, otherWords] = [0, 0];
  article.descendants((node) => {
    if (!node.isTextblock) return true;
    const line = counted.get(node) ?? partsOf(node);
    counted.set(node, line);
    characters += line.characters;
    otherWords += line.otherWords;
    return false;
  });
  const unit = characters > otherWords ? 'characters' : 'words';
  return { count: characters + otherWords, unit };
}

function partsOf(line: Node): Parts {
  const text = line.textBetween(0, line.content.size, ' ', ' ');
  const rest = text.replace(CHARACTER, ' ');
  const words = [...SEGMENTER.segment(rest)].filter(({ isWordLike }) => isWordLike);
  return { characters: text.match(CHARACTER)?.length ?? 0, otherWords: words.length };
}
