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
    'types alone',
    { [A]: ["import type { X } from './b.ts';"], [B]: ["export type { Y } from './a.ts';"] },
    [`${A} → ${B} → ${A}`],
  ],
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

const EDITING = 'services/news-feed/src/newsroom/editing/items.ts';
const IMPORT = 'services/news-feed/src/newsroom/import/importer.ts';
const LINES = 'services/news-feed/src/newsroom/import/lines.ts';
const SHARED = 'services/news-feed/src/newsroom/transactions.ts';

test('folders of a service that import each other are named, though no two files do', () => {
  const [editing, imports] = [
    'services/news-feed/src/newsroom/editing',
    'services/news-feed/src/newsroom/import',
  ];
  expect(
    circles({
      [EDITING]: ["import '../import/lines.ts';"],
      [IMPORT]: ["import '../editing/items.ts';"],
      [LINES]: [],
    }),
  ).toEqual([`${editing} → ${imports} → ${editing}`]);
});

test('a file next to folders may hold them together', () => {
  expect(
    circles({
      [SHARED]: ["import './import/lines.ts';"],
      [IMPORT]: ["import '../transactions.ts';"],
      [LINES]: [],
    }),
  ).toEqual([]);
});
