import { expect, test } from 'vitest';
import { docCommentFaults } from './doc-comments.ts';

function faults(source: string): string[] {
  return docCommentFaults(new Map([['a.ts', source]]));
}

test.each([
  ['function', 'export function thing(): void {}'],
  ['async function', 'export async function thing() {}'],
  ['constant', 'export const thing = 1;'],
  ['class', 'export class thing {}'],
  ['interface', 'export interface thing {}'],
  ['type', 'export type thing = string;'],
  ['list', 'const thing = 1;\nexport { thing };'],
  ['list under another name', 'const thing = 1;\nexport { thing as other };'],
])('an exported %s needs a doc comment', (_, source) => {
  expect(faults(source)).toEqual(['a.ts:1: thing is exported without a doc comment']);
  expect(faults(`/** What it is for. */\n${source}`)).toEqual([]);
});

test('a default export needs one', () => {
  expect(faults('export default {};')).toHaveLength(1);
  expect(faults('/** The configuration. */\nexport default {};')).toEqual([]);
});

test.each([
  ['a line comment', '// What it is for.\nexport const thing = 1;'],
  ['a plain block comment', '/* What it is for. */\nexport const thing = 1;'],
  ['an empty doc comment', '/** */\nexport const thing = 1;'],
  ['the comment of the statement before', '/** Another. */\nconst other = 1;\nexport const thing = other;'],
])('%s is not enough', (_, source) => {
  expect(faults(source)).toHaveLength(1);
});

test('declarations that are not exported, re-exports and later overloads do not need one', () => {
  expect(
    faults(`
      import { x } from './x.ts';
      const own = x;
      export { y } from './y.ts';
      export * from './z.ts';
      /** Doubles. */
      // biome-ignore lint/x: it says why
      export function twice(n: number): number;
      export function twice(n: string): string;
      export function twice(n: unknown): unknown { return own(n); }
    `),
  ).toEqual([]);
});

test('every fault has its line', () => {
  expect(faults('/** One. */\nexport const a = 1;\n\nexport const b = 2;\nexport type C = 3;')).toEqual([
    'a.ts:4: b is exported without a doc comment',
    'a.ts:5: C is exported without a doc comment',
  ]);
});
