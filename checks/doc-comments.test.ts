import { expect, test } from 'vitest';
import { docCommentFaults } from './doc-comments.ts';

const FILE = 'packages/common/src/a.ts';

function faults(source: string): string[] {
  return docCommentFaults(new Map([[FILE, source]]));
}

test.each([
  ['function', 'export function thing(): void {}'],
  ['async function', 'export async function thing() {}'],
  ['class', 'export class thing {}'],
  ['list', 'function thing() {}\nexport { thing };'],
  ['list under another name', 'function thing() {}\nexport { thing as other };'],
])('an exported %s needs a doc comment', (_, source) => {
  expect(faults(source)).toEqual([`${FILE}:1: thing is exported without a doc comment`]);
  expect(faults(`/** What it is for. */\n${source}`)).toEqual([]);
});

test('a default export needs one', () => {
  expect(faults('export default {};')).toHaveLength(1);
  expect(faults('/** The configuration. */\nexport default {};')).toEqual([]);
});

test.each([
  ['a line comment', '// What it is for.\nexport function thing() {}'],
  ['a plain block comment', '/* What it is for. */\nexport function thing() {}'],
  ['an empty doc comment', '/** */\nexport function thing() {}'],
  ['the comment of the statement before', '/** Another. */\nconst other = 1;\nexport class thing {}'],
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

test('constants, types and services need none: a name may be enough', () => {
  expect(faults('export const LIMIT = 3;\nexport interface Thing {}\nexport type Other = string;')).toEqual(
    [],
  );
  expect(docCommentFaults(new Map([['services/content/src/a.ts', 'export class A {}']]))).toEqual([]);
});

test('every fault has its line', () => {
  expect(faults('/** One. */\nexport class A {}\n\nexport class B {}\nexport function c() {}')).toEqual([
    `${FILE}:4: B is exported without a doc comment`,
    `${FILE}:5: c is exported without a doc comment`,
  ]);
});
