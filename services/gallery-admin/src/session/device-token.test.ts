import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { DEVICE_LIFETIME_S, DeviceTokens } from './store.ts';

const KEY = randomBytes(32);
const tokens = new DeviceTokens(KEY, 'editor');

test('a token names the device that it was issued to, on every replica', () => {
  const [one, other] = [tokens.issue(), tokens.issue()];
  expect(tokens.idOf(one)).toMatch(/^[\w-]{22}$/);
  expect(new DeviceTokens(KEY, 'editor').idOf(one)).toBe(tokens.idOf(one));
  expect(tokens.idOf(other)).not.toBe(tokens.idOf(one));
});

test('a token that was altered, or signed with another key or for another name, is invalid', () => {
  const token = tokens.issue();
  const [id = '', time = '', signature = ''] = token.split('.');
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  const forged = [
    '',
    'x',
    `${id}.${time}.`,
    `${id}.${time}.${flipped}`,
    `${id}.${Number(time) + 1}.${signature}`,
    `${'A'.repeat(22)}.${time}.${signature}`,
    new DeviceTokens(randomBytes(32), 'editor').issue(),
    new DeviceTokens(KEY, 'somebody').issue(),
  ];
  for (const one of forged) expect(tokens.idOf(one)).toBeUndefined();
});

test('a token stays valid under the key that comes next, as long as that knows the one before', () => {
  const next = randomBytes(32);
  const token = tokens.issue();
  expect(new DeviceTokens(next, 'editor', KEY).idOf(token)).toBe(tokens.idOf(token));
  expect(new DeviceTokens(next, 'editor').idOf(token)).toBeUndefined();
  expect(tokens.idOf(new DeviceTokens(next, 'editor', KEY).issue())).toBeUndefined();
});

test('a token expires 180 days after the login', () => {
  const now = Date.now();
  const token = tokens.issue(now);
  expect(tokens.idOf(token, now + (DEVICE_LIFETIME_S - 2) * 1000)).toBeDefined();
  expect(tokens.idOf(token, now + (DEVICE_LIFETIME_S + 2) * 1000)).toBeUndefined();
});
