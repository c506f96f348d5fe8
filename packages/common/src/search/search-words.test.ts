import { expect, test } from 'vitest';
import { hasPieces, searchWords } from './search.ts';

test.each([
  ['open source', ['open', 'source']],
  ['大模型\u3000发布', ['大模型', '发布']],
  ['a  b\ta', ['a', 'b']],
  ['100% a_b \\', ['100%', 'a_b', '\\']],
])('%j has the words %j', (query, words) => expect(searchWords(query)).toEqual(words));

test.each([
  ['abc', true],
  ['ab', false],
  ['模型', true],
  ['模', false],
  // Folded, these are less than they seem.
  ['¨a¨', false],
  ['ꭰꭱ', false],
  ['ŉ\u0308', true],
])('%j has pieces: %j', (word, expected) => expect(hasPieces(word)).toBe(expected));
