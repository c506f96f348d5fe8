import { expect, test } from 'vitest';
import { z } from 'zod';
import { strictly } from './request-reading.ts';

const inner = z.object({ id: z.string() });

test.each([
  ['an object', inner, { id: 'a', extra: 1 }, ['extra']],
  ['an object in an object', z.strictObject({ inner }), { inner: { id: 'a', extra: 1 } }, ['extra']],
  [
    'one of several',
    z.union([z.object({ n: z.number() }), z.object({ n: z.string() })]),
    { n: 1, extra: 1 },
    undefined,
  ],
  [
    'one that a member chooses',
    z.discriminatedUnion('a', [z.object({ a: z.literal(1), inner }), z.object({ a: z.literal(2) })]),
    { a: 1, inner: { id: 'a', extra: 1 } },
    ['extra'],
  ],
  [
    'an element of a list',
    z.object({ all: z.array(inner).min(1) }),
    { all: [{ id: 'a', extra: 1 }] },
    ['extra'],
  ],
  [
    'one that may be absent',
    z.object({ inner: inner.optional() }),
    { inner: { id: 'a', extra: 1 } },
    ['extra'],
  ],
  [
    'one that is transformed',
    inner.refine(() => true).transform(({ id }) => id),
    { id: 'a', extra: 1 },
    ['extra'],
  ],
])('an unknown member of %s is refused', (_what, schema, value, keys) => {
  const { error } = strictly(schema as z.ZodType).safeParse(value);
  expect(error?.issues).toHaveLength(1);
  if (keys !== undefined) expect(error?.issues[0]).toMatchObject({ code: 'unrecognized_keys', keys });
});

test('everything else in a schema stays: its checks, its texts, and schemas that are already strict', () => {
  const checked = z
    .object({ id: z.string() })
    .refine(({ id }) => id === 'a', 'must be a')
    .describe('A thing');
  expect(strictly(checked).safeParse({ id: 'b' }).error?.issues).toMatchObject([{ message: 'must be a' }]);
  expect(strictly(checked).description).toBe('A thing');
  const strict = z.strictObject({ inner: z.strictObject({}) });
  expect(strictly(strict)).toBe(strict);
  const loose = z.looseObject({});
  expect(strictly(loose)).toBe(loose);
});
