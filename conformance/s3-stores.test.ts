import { expect, test } from 'vitest';
import { compare } from './s3-stores.ts';

const file = 'a.test.ts';
const lack = { file, test: /^pages of \d$/, why: 'it has no pages' };

function faultsOf(ends: { name: string; fault: string | undefined }[]) {
  return [
    ...compare(
      ends.map((end) => ({ file, ...end })),
      [lack],
    ),
  ].flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
}

test('a listed test that fails and another that passes are as they must be', () => {
  const ends = [
    { name: 'pages of 2', fault: 'no' },
    { name: 'objects', fault: undefined },
  ];
  expect(faultsOf(ends)).toEqual([]);
});

test('a listed test that passes is a fault', () => {
  expect(faultsOf([{ name: 'pages of 2', fault: undefined }])).toEqual([expect.stringContaining('passes')]);
});

test('a test that fails and is not listed is a fault', () => {
  const ends = [
    { name: 'pages of 2', fault: 'no' },
    { name: 'objects', fault: 'broken' },
  ];
  expect(faultsOf(ends)).toEqual(['broken']);
});

test('a listed test that was not run is a fault', () => {
  expect(faultsOf([{ name: 'objects', fault: undefined }])).toEqual([
    expect.stringContaining('no such test was run'),
  ]);
});
