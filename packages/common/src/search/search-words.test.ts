import { expect, test } from 'vitest';
import { searchWords } from './search-words.ts';

test.each([
  ['open source', ['open', 'source']],
  ['大模型\u3000发布', ['大模型', '发布']],
  ['a  b\ta', ['a', 'b']],
  ['100% a_b \\', ['100%', 'a_b', '\\']],
])('%j has the words %j', (query, words) => expect(searchWords(query)).toEqual(words));
