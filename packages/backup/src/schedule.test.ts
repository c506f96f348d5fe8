import { expect, test } from 'vitest';
import { expired, isBackupDue, isVerificationDue, msUntilDue } from './schedule.ts';

const at = (text: string) => new Date(`2026-11-${text}Z`);

test.each([
  ['there is none', undefined, '25T12:00', true],
  ['none since 3 o’clock of today', '25T02:59', '25T03:00', true],
  ['one since 3 o’clock of today', '25T03:00', '25T23:59', false],
  ['one since 3 o’clock of yesterday, before 3', '24T03:01', '25T02:59', false],
  ['none since 3 o’clock of yesterday, before 3', '24T02:00', '25T02:00', true],
])('a backup is due by what there is: %s', (_what, newest, now, due) => {
  expect(isBackupDue(newest === undefined ? undefined : at(newest), at(now), 3)).toBe(due);
});

test('the next backup is due at the hour, on this day or the next', () => {
  expect(msUntilDue(at('25T02:59'), 3)).toBe(60_000);
  expect(msUntilDue(at('25T03:00'), 3)).toBe(86_400_000);
});

test('the backup of the same hour a week later is verified, not that of the day before', () => {
  expect(isVerificationDue(undefined, at('25T03:00'))).toBe(true);
  expect(isVerificationDue(at('18T03:05'), at('25T03:01'))).toBe(true);
  expect(isVerificationDue(at('18T03:05'), at('24T03:01'))).toBe(false);
});

const made = (...days: string[]) => days.map((day) => ({ madeAt: at(`${day}T03:00`) }));

test('what is old and has enough newer ones goes', () => {
  const kept = made('21', '22', '23', '24', '25');
  expect(expired(kept, at('25T03:01'), 3)).toEqual(made('22', '21'));
});

test('many on one day push nothing out that is not old', () => {
  expect(expired(made('24', '25', '25', '25', '25', '25'), at('25T03:01'), 3)).toEqual([]);
});

test('a time without backups removes nothing', () => {
  expect(expired(made('01', '02', '03'), at('25T03:01'), 3)).toEqual([]);
});
