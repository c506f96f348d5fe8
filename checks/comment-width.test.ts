import { expect, test } from 'vitest';
import { wideComments } from './comment-width.ts';

const WIDE = 'word '.repeat(8).trim();

/** The numbers of the comment lines that are wider than 30 columns. */
function wide(file: string, lines: string[]): number[] {
  return wideComments(file, lines.join('\n'), 30).map((fault) => Number(fault.split(':')[1]));
}

test('comment lines up to the width pass, and each wider one is named', () => {
  expect(wide('a.ts', [`// ${'a'.repeat(27)}`, `// ${'a'.repeat(28)}`])).toEqual([2]);
  expect(wideComments('a.ts', `// ${WIDE}`, 30)).toEqual([
    'a.ts:1: the comment is wider than 30 columns; wrap it',
  ]);
});

test('doc comments, indented comments and those after code count with the whole line', () => {
  expect(wide('a.ts', ['/**', ` * ${WIDE}`, ' * short', ' */', 'let a = 1;', `  // ${WIDE}`])).toEqual([
    2, 6,
  ]);
  expect(wide('a.ts', ['const value = 12345; // a remark'])).toEqual([1]);
});

test('comments in SQL count, its statements do not', () => {
  expect(wide('a.sql', [`-- ${WIDE}`, `select '${WIDE}';`, `  -- ${WIDE}`])).toEqual([1, 3]);
});

test('code, and text in it that looks like a comment, may be wider', () => {
  expect(wide('a.ts', [`const a = '// ${WIDE}';`])).toEqual([]);
});

test('a long URL and the code of an @example may be wider, but not what follows them', () => {
  expect(wide('a.ts', [`// https://example.com/${'a'.repeat(40)}`])).toEqual([]);
  expect(wide('a.ts', ['/**', ' * @example', ` * ${WIDE}`, ` * @param a ${WIDE}`, ' */'])).toEqual([4]);
});

test('characters outside the basic plane count as one column', () => {
  expect(wide('a.ts', [`// ${'😀'.repeat(27)}`])).toEqual([]);
});
