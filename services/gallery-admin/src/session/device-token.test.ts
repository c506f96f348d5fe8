import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { DEVICE_LIFETIME_S, DeviceTokens } from './store.ts';

const KEY = randomBytes(32);
const tokens = new DeviceTokens(KEY);

test('a token names the device that it was issued to, on every replica', () => {
  const [one, other] = [tokens.issue('editor'), tokens.issue('editor')];
  expect(tokens.idOf(one, 'editor')).toMatch(/^[\w-]{22}$/);
  expect(new DeviceTokens(KEY).idOf(one, 'editor')).toBe(tokens.idOf(one, 'editor'));
  expect(tokens.idOf(other, 'editor')).not.toBe(tokens.idOf(one, 'editor'));
});

test('a token that was altered, or signed with another key or for another name, is invalid', () => {
  const token = tokens.issue('editor');
  const [id = '', time = '', signature = ''] = token.split('.');
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  const forged = [
    '',
    'x',
    `${id}.${time}.`,
    `${id}.${time}.${flipped}`,
    `${id}.${Number(time) + 1}.${signature}`,
    `${'A'.repeat(22)}.${time}.${signature}`,
    new DeviceTokens(randomBytes(32)).issue('editor'),
    tokens.issue('somebody'),
  ];
  for (const one of forged) expect(tokens.idOf(one, 'editor')).toBeUndefined();
});

test('a token stays valid under the key that comes next, as long as that knows the one before', () => {
  const next = randomBytes(32);
  const token = tokens.issue('editor');
  expect(new DeviceTokens(next, KEY).idOf(token, 'editor')).toBe(tokens.idOf(token, 'editor'));
  expect(new DeviceTokens(next).idOf(token, 'editor')).toBeUndefined();
  expect(tokens.idOf(new DeviceTokens(next, KEY).issue('editor'), 'editor')).toBeUndefined();
});

test('a token expires 180 days after the login', () => {
  const now = Date.now();
  const token = tokens.issue('editor', now);
  expect(tokens.idOf(token, 'editor', now + (DEVICE_LIFETIME_S - 2) * 1000)).toBeDefined();
  expect(tokens.idOf(token, 'editor', now + (DEVICE_LIFETIME_S + 2) * 1000)).toBeUndefined();
});
