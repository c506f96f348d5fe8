import { expect, test } from 'vitest';
import { securityHeaders } from './security-headers.ts';

test('an answer of an API is no page, is not framed, not guessed at, and names no referrer', () => {
  expect(securityHeaders()).toEqual({
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
});
