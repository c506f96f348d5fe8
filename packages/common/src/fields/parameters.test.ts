import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idParameter, integerParameter } from './fields.ts';

test('a number within the bounds is read, one beyond them refused', () => {
  const parameter = integerParameter(1, 100);
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 1000 }), (value) => {
      const result = parameter.safeParse(String(value));
      expect(result.data).toBe(value >= 1 && value <= 100 ? value : undefined);
    }),
  );
});

test.each(['', ' 1', '1 ', '+1', '-1', '01', '1.0', '1e2', '0x1', '1_0', '١', 'NaN', '9'.repeat(17)])(
  '%j is not a whole number in plain decimal digits',
  (value) => {
    expect(integerParameter(0).safeParse(value).success).toBe(false);
  },
);

test('the message says what is expected, whether the value is not a number or out of bounds', () => {
  const messageOf = (value: unknown) => integerParameter(1, 100).safeParse(value).error?.issues[0]?.message;
  for (const value of ['x', '0', '101', ['1', '2'], undefined]) {
    expect(messageOf(value)).toBe('must be a whole number from 1 to 100');
  }
  expect(integerParameter(0).safeParse('x').error?.issues[0]?.message).toBe(
    'must be a whole number of at least 0',
  );
});

test('numbers are read up to the largest exact one', () => {
  expect(integerParameter(0).parse('9007199254740991')).toBe(2 ** 53 - 1);
  expect(integerParameter(0).safeParse('9007199254740992').success).toBe(false);
});

test('an id is a positive integer; one too large to exist is simply not found', () => {
  expect(idParameter().parse('1')).toBe(1);
  expect(idParameter().parse('2147483647')).toBe(2 ** 31 - 1);
  expect(idParameter().parse('2147483648')).toBe(0);
  expect(idParameter().parse('9'.repeat(4000))).toBe(0);
});

test.each(['', '0', '-1', '+1', '01', '1.5', '1e3', ' 1', '1\n', 'abc', 'null', '%31'])(
  '%j is not an id',
  (value) => {
    expect(idParameter().safeParse(value).success).toBe(false);
  },
);
