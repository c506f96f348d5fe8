import { expect, test } from 'vitest';
import { circleFaults } from './circles.ts';

/** The import cycles of a repository with these files, each with these lines. */
function circles(files: Record<string, string[]>): string[] {
  return circleFaults(new Map(Object.entries(files).map(([file, lines]) => [file, lines.join('\n')])));
}

const A = 'packages/common/src/http/a.ts';
const B = 'packages/common/src/http/b.ts';
const C = 'services/content/src/c.ts';

test('files that import each other in one direction only do not form a circle', () => {
  expect(
    circles({
      [A]: ["import './b.ts';", "import 'fastify';"],
      [B]: ["import { x } from 'zod';"],
      [C]: ["import '@pressroom/common/http/a';", "import '@pressroom/common/http/b';"],
    }),
  ).toEqual([]);
});

test.each([
  ['two files', { [A]: ["import './b.ts';"], [B]: ["import './a.ts';"] }, [`${A} → ${B} → ${A}`]],
  ['a file and itself', { [A]: ["import './a.ts';"] }, [`${A} → ${A}`]],
  [
    'three files of two packages, below one that is not part of it',
    {
      [A]: ["import './b.ts';"],
      [B]: ["import '@pressroom/content/c';"],
      [C]: ["import('@pressroom/common/http/b');"],
    },
    [`${B} → ${C} → ${B}`],
  ],
])('a circle of %s is named', (_what, files, expected) => {
  expect(circles(files)).toEqual(expected);
});

test('types may refer to each other', () => {
  expect(
    circles({
      [A]: ["import type { X } from './b.ts';", "import { type Z } from './b.ts';"],
      [B]: ["export type { Y } from './a.ts';", "type W = import('./a.ts').W;"],
    }),
  ).toEqual([]);
});
