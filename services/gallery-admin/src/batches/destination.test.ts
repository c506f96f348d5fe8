import { expect, test } from 'vitest';
import { plannedObstacles, planTransfers, type Source, targetOf } from './transfer.ts';

const object = (path: string): Source => ({ kind: 'object', path });
const folder = (path: string): Source => ({ kind: 'folder', path });
const planned = (sources: Source[], dest: string) =>
  planTransfers(sources, (source) => targetOf(source, dest));

test.each([
  [object('a.jpg'), 'to/', 'to/a.jpg'],
  [object('in/deep/a.jpg'), 'to/', 'to/a.jpg'],
  [object('in/a.jpg'), '', 'a.jpg'],
  [folder('in/'), 'to/', 'to/in/'],
  [folder('in/deep/'), 'to/', 'to/deep/'],
  [folder('in/deep/'), '', 'deep/'],
  [object('日本/写真 1+1%#.jpg'), 'ü/', 'ü/写真 1+1%#.jpg'],
])('%j lands in %j as %j', (source, dest, target) => {
  expect(targetOf(source, dest)).toBe(target);
});

test.each<[string, Source[], string, string[]]>([
  ['a file moved to where it already is', [object('in/a')], 'in/', ['in/a']],
  ['a file of the root moved to the root', [object('a')], '', ['a']],
  ['a folder moved to where it already is', [folder('in/deep/')], 'in/', ['in/deep/']],
  ['a folder in itself', [folder('in/')], 'in/', ['in/']],
  ['a folder deep in itself', [folder('in/')], 'in/a/b/', ['in/']],
  ['two files with the same name', [object('a/x'), object('b/x')], 'to/', ['to/x']],
  ['two folders with the same name', [folder('a/x/'), folder('b/x/')], 'to/', ['to/x/']],
])('%s is in the way', (_, sources, dest, paths) => {
  expect(plannedObstacles(planned(sources, dest)).flatMap((obstacle) => obstacle.paths)).toEqual(paths);
});

test.each<[string, Source[], string]>([
  ['a folder next to one whose name starts the same', [folder('in/')], 'inside/'],
  ['a file and a folder with the same name', [object('a/x'), folder('b/x/')], 'to/'],
  ['one source named twice', [object('a/x'), object('a/x')], 'to/'],
])('%s is not', (_, sources, dest) => {
  expect(plannedObstacles(planned(sources, dest))).toEqual([]);
});
