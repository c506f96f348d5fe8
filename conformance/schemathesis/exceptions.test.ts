import { expect, test } from 'vitest';
import { type Answer, EXCEPTIONS, type Exception, staleness } from './exceptions.ts';

const exception: Exception = {
  services: ['content'],
  checks: ['positive_data_acceptance'],
  operation: 'GET /',
  status: 422,
  fault: '^name: .* \\[required\\]$',
  reason: 'a schema cannot say it',
  example: (ask) => ask({ method: 'GET', path: '/' }),
};

const staleAgainst = (answer: Answer) => staleness(exception, async () => answer);

test('an exception holds while its example is answered as it says', async () => {
  const errors = [{ field: 'name', message: 'must not be empty', code: 'required' }];
  expect(await staleAgainst({ status: 422, body: { errors } })).toBeUndefined();
  expect(
    await staleAgainst({ status: 422, body: { detail: 'name: must not be empty', code: 'required' } }),
  ).toBeUndefined();
});

test.each([
  ['another status', { status: 200, body: { detail: 'name: must not be empty', code: 'required' } }],
  [
    'another fault',
    { status: 422, body: { errors: [{ field: 'slug', message: 'must not be empty', code: 'required' }] } },
  ],
  ['another detail', { status: 422, body: { detail: 'must not be empty', code: 'required' } }],
])('an exception whose example gets %s is stale', async (_name, answer) =>
  expect(await staleAgainst(answer)).toContain('take it off the list'),
);

test('every exception of a refusal says which', () => {
  const open = EXCEPTIONS.filter(({ fault, status }) => fault === '' && status !== 410);
  expect(open).toEqual([]);
});
