import { expect, test } from 'vitest';
import { expired, isBackupDue, isRecent, isVerificationDue, lastVerified, msUntilDue } from './schedule.ts';

const at = (text: string) => new Date(`2026-11-${text}Z`);

test.each([
  ['there is none', undefined, '25T12:00', true],
  ['none since 3 o’clock of today', '25T02:59', '25T03:00', true],
  ['one since 3 o’clock of today', '25T03:00', '25T23:59', false],
  ['one since 3 o’clock of yesterday, before 3', '24T03:01', '25T02:59', false],
  ['none since 3 o’clock of yesterday, before 3', '24T02:00', '25T02:00', true],
  ['one of tomorrow, by a clock that was wrong', '26T03:00', '25T12:00', true],
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
  expect(isVerificationDue(at('26T03:00'), at('25T03:01'))).toBe(true);
});

test('a verification of tomorrow, by a clock that was wrong, does not count', () => {
  const verified = ['20T03:00', '18T03:00', '26T03:00'].map((time) => ({ verifiedAt: at(time) }));
  expect(lastVerified([...verified, { verifiedAt: undefined }], at('25T03:00'))).toEqual(at('20T03:00'));
  expect(lastVerified([{ verifiedAt: undefined }], at('25T03:00'))).toBeUndefined();
});

test('a try again finds the backup of the first try, and the next day does not', () => {
  expect(isRecent(at('25T03:00'), at('25T14:59'))).toBe(true);
  expect(isRecent(at('24T03:00'), at('25T02:59'))).toBe(false);
  expect(isRecent(at('26T03:00'), at('25T03:00'))).toBe(false);
  expect(isRecent(undefined, at('25T03:00'))).toBe(false);
});

const made = (...days: string[]) => days.map((day) => ({ madeAt: at(`${day}T03:00`) }));

test('what is old and has enough newer ones goes', () => {
  const kept = made('21', '22', '23', '24', '25');
  expect(expired(kept, at('25T03:01'), 3)).toEqual(made('22', '21'));
});

test('many on one day push nothing out that is not old', () => {
  expect(expired(made('24', '25', '25', '25', '25', '25'), at('25T03:01'), 3)).toEqual([]);
});

test('what a wrong clock dated later neither goes nor pushes others out', () => {
  expect(expired(made('21', '22', '28', '29', '30'), at('25T03:01'), 2)).toEqual([]);
});

test('a time without backups removes nothing', () => {
  expect(expired(made('01', '02', '03'), at('25T03:01'), 3)).toEqual([]);
});
