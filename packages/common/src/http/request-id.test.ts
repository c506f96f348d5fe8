import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestId } from './every-request.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The id of a request with `given` as its X-Request-Id. */
function idOf(given: string | string[] | undefined): string {
  return requestId({ headers: { 'x-request-id': given } });
}

test('1 to 128 visible ASCII characters are kept', () => {
  const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(fc.string({ unit: visible, minLength: 1, maxLength: 128 }), (given) => {
      expect(idOf(given)).toBe(given);
    }),
  );
});

test.each([
  undefined,
  '',
  ' ',
  'a b',
  'a\tb',
  'a\nb',
  'é',
  '\x7f',
  'x'.repeat(129),
  'one, two',
  ['one', 'two'],
])('%j is replaced by a new id', (given) => {
  expect(idOf(given)).toMatch(UUID);
  expect(idOf(given)).not.toBe(idOf(given));
});
