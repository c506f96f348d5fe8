import { expect, test } from 'vitest';
import { storeFailure } from './store-errors.ts';

/** An error as the SDK throws it. */
function fault(error: Error, status?: number, more: object = {}): Error {
  return Object.assign(error, {
    $metadata: { ...(status && { httpStatusCode: status }), attempts: 1 },
    ...more,
  });
}

function named(name: string): Error {
  return Object.assign(new Error("the store's own message"), { name });
}

test.each([
  ['a refused connection', fault(Object.assign(new Error(), { code: 'ECONNREFUSED' }))],
  ['an expired certificate', fault(Object.assign(new Error(), { code: 'CERT_HAS_EXPIRED' }))],
  ['a timeout', fault(named('TimeoutError'))],
  ['500', fault(named('InternalError'), 500)],
  ['503', fault(named('SlowDown'), 503)],
  ['a request to retry later, as 429', fault(named('TooManyRequests'), 429)],
  ['a clock that has just been set, as 403', fault(named('RequestTimeTooSkewed'), 403)],
])('%s means the store is unavailable', (_what, error) => {
  expect(storeFailure(error)).toMatchObject({ kind: 'unavailable' });
});

test.each([
  ['a 400', fault(named('InvalidArgument'), 400)],
  ['a 404', fault(named('NoSuchKey'), 404)],
  ['a 409', fault(named('OperationAborted'), 409)],
  ['an unsupported operation', fault(named('NotImplemented'), 501)],
  ['an unsupported HTTP version', fault(named('Unknown'), 505)],
])('%s is not retried and does not ask for a request id', (_what, error) => {
  const failure = storeFailure(error);
  expect(failure).toMatchObject({ kind: 'misconfigured', code: 'internal_error' });
  expect(failure?.message).not.toMatch(/again|request id|the store's own message/);
});

test('a page that is not XML is not S3', () => {
  const error = fault(new SyntaxError('unexpected <'), undefined, { $response: { statusCode: 200 } });
  expect(storeFailure(error)).toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('not S3'),
  });
});

test.each([
  ['an invalid header', Object.assign(new TypeError(), { code: 'ERR_INVALID_CHAR' })],
  ['an unencodable key', new URIError('URI malformed')],
  ['a missing value', new Error('No value provided for input HTTP label: Key.')],
])("%s is the SDK's own error, not the store's", (_what, error) => {
  expect(storeFailure(fault(error))).toBeUndefined();
});
