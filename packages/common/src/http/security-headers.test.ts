import { expect, test } from 'vitest';
import { securityHeaders } from './create-server.ts';

test('an answer of the API is not a page, cannot be framed or sniffed, and sends no referrer', () => {
  expect(securityHeaders()).toEqual({
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
});
