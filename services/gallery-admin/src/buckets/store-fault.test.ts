import { expect, test } from 'vitest';
import { storeFailure } from './store-fault.ts';

/** An error as the SDK throws it. */
function fault(error: Error, status?: number, more: object = {}): Error {
  return Object.assign(error, {
    $metadata: { ...(status && { httpStatusCode: status }), attempts: 1 },
    ...more,
  });
}

function named(name: string): Error {
  return Object.assign(new Error('words of the store'), { name });
}

test.each([
  ['a connection that was refused', fault(Object.assign(new Error(), { code: 'ECONNREFUSED' }))],
  ['a certificate that has expired', fault(Object.assign(new Error(), { code: 'CERT_HAS_EXPIRED' }))],
  ['a time that ran out', fault(named('TimeoutError'))],
  ['500', fault(named('InternalError'), 500)],
  ['503', fault(named('SlowDown'), 503)],
  ['a request for later, as 429', fault(named('TooManyRequests'), 429)],
])('%s is a store that is away', (_what, error) => {
  expect(storeFailure(error)).toMatchObject({ kind: 'unavailable' });
});

test.each([
  ['a 400', fault(named('InvalidArgument'), 400)],
  ['a 404', fault(named('NoSuchKey'), 404)],
  ['a 409', fault(named('OperationAborted'), 409)],
  ['what it does not know', fault(named('NotImplemented'), 501)],
  ['a version of HTTP that it does not know', fault(named('Unknown'), 505)],
])('%s is not to be tried again, and nobody is asked for an id', (_what, error) => {
  const failure = storeFailure(error);
  expect(failure).toMatchObject({ kind: 'misconfigured', code: 'internal_error' });
  expect(failure?.message).not.toMatch(/again|request id|words of the store/);
});

test('a page that is not XML is not S3', () => {
  const error = fault(new SyntaxError('unexpected <'), undefined, { $response: { statusCode: 200 } });
  expect(storeFailure(error)).toMatchObject({
    kind: 'misconfigured',
    message: expect.stringContaining('not S3'),
  });
});

test.each([
  ['a header that cannot be written', Object.assign(new TypeError(), { code: 'ERR_INVALID_CHAR' })],
  ['a key that cannot be encoded', new URIError('URI malformed')],
  ['a value that is missing', new Error('No value provided for input HTTP label: Key.')],
])("%s is the SDK's own fault, and not the store's", (_what, error) => {
  expect(storeFailure(fault(error))).toBeUndefined();
});
