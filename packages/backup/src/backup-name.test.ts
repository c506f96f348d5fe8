import { expect, test } from 'vitest';
import { madeAt, nameAt } from './backup-folder.ts';

test('a name says when the backup was made', () => {
  const time = new Date('2026-11-25T03:04:05Z');
  expect(nameAt(time)).toBe('2026-11-25T03-04-05Z');
  expect(madeAt('2026-11-25T03-04-05Z')).toEqual(time);
});

test.each(['lost+found', '2026-99-99T03-00-00Z', '2026-02-30T03-00-00Z', '2026-11-25T03-00-00Z/../..'])(
  '%s is not the name of a backup',
  (name) => {
    expect(madeAt(name)).toBeUndefined();
  },
);
