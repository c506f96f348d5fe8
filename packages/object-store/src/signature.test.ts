import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { decodeChunks } from './payload.ts';
import type { S3Request } from './request.ts';
import { authenticate } from './signature.ts';

// The examples of AWS's own documentation.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const SIGNED_AT = Date.parse('2013-05-24T00:00:00Z');
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const CREDENTIAL = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';

function example(method: string, path: string, query: string, headers: Record<string, string>): S3Request {
  return {
    method,
    path,
    bucket: '',
    key: '',
    query: new URLSearchParams(query),
    headers: { host: 'examplebucket.s3.amazonaws.com', ...headers },
    incoming: undefined as unknown as IncomingMessage,
  };
}

function authorization(signedHeaders: string, signature: string): string {
  return `AWS4-HMAC-SHA256 Credential=${CREDENTIAL},SignedHeaders=${signedHeaders},Signature=${signature}`;
}

const SIGNED_GET = example('GET', '/test.txt', '', {
  range: 'bytes=0-9',
  'x-amz-content-sha256': EMPTY_SHA256,
  'x-amz-date': '20130524T000000Z',
  authorization: authorization(
    'host;range;x-amz-content-sha256;x-amz-date',
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ),
});

const PRESIGNED_QUERY = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(CREDENTIAL)}&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`;

describe('a signature in the header', () => {
  test('is valid if made by AWS', async () => {
    const { payload } = await authenticate(SIGNED_GET, CREDENTIALS, SIGNED_AT);
    expect(payload).toBe(EMPTY_SHA256);
  });

  test('is right for a query without values, and for headers that SDKs leave unsigned', async () => {
    const lifecycle = example('GET', '/', 'lifecycle=', {
      'x-amz-content-sha256': EMPTY_SHA256,
      'x-amz-date': '20130524T000000Z',
      'user-agent': 'anything',
      authorization: authorization(
        'host;x-amz-content-sha256;x-amz-date',
        'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
      ),
    });
    await expect(authenticate(lifecycle, CREDENTIALS, SIGNED_AT)).resolves.toBeDefined();
  });

  test('is wrong for another range, secret, key and hour', async () => {
    const otherRange = { ...SIGNED_GET, headers: { ...SIGNED_GET.headers, range: 'bytes=0-8' } };
    const wrong = { code: 'SignatureDoesNotMatch', status: 403 };
    await expect(authenticate(otherRange, CREDENTIALS, SIGNED_AT)).rejects.toMatchObject(wrong);
    const otherSecret = { ...CREDENTIALS, secretAccessKey: 'x' };
    await expect(authenticate(SIGNED_GET, otherSecret, SIGNED_AT)).rejects.toMatchObject(wrong);
    const otherKey = { ...CREDENTIALS, accessKeyId: 'x' };
    await expect(authenticate(SIGNED_GET, otherKey, SIGNED_AT)).rejects.toMatchObject({
      code: 'InvalidAccessKeyId',
    });
    for (const skew of [-901_000, 901_000]) {
      const skewed = authenticate(SIGNED_GET, CREDENTIALS, SIGNED_AT + skew);
      await expect(skewed).rejects.toMatchObject({ code: 'RequestTimeTooSkewed' });
    }
  });

  test('covers every x-amz- header and the host', async () => {
    const added = { ...SIGNED_GET, headers: { ...SIGNED_GET.headers, 'x-amz-meta-role': 'admin' } };
    await expect(authenticate(added, CREDENTIALS, SIGNED_AT)).rejects.toMatchObject({ code: 'AccessDenied' });
  });

  test.for([
    ['Basic dXNlcjpwYXNz', 'AuthorizationHeaderMalformed'],
    ['AWS4-HMAC-SHA256', 'AuthorizationHeaderMalformed'],
    [authorization('host', 'x').replace('/s3/', '/ec2/'), 'AuthorizationHeaderMalformed'],
    [authorization('host', 'x').replace('20130524', '20130525'), 'AuthorizationHeaderMalformed'],
  ] as const)('%s is malformed', async ([header, code]) => {
    const malformed = { ...SIGNED_GET, headers: { ...SIGNED_GET.headers, authorization: header } };
    await expect(authenticate(malformed, CREDENTIALS, SIGNED_AT)).rejects.toMatchObject({
      code,
      status: 400,
    });
  });
});

describe('a signature in the query', () => {
  const presigned = example('GET', '/test.txt', PRESIGNED_QUERY, {});

  test('is valid if made by AWS, to the last second of its time', async () => {
    for (const now of [SIGNED_AT, SIGNED_AT + 86_400_000]) {
      const { payload } = await authenticate(presigned, CREDENTIALS, now);
      expect(payload).toBe('UNSIGNED-PAYLOAD');
    }
  });

  test('is refused when it has expired, or was made for later', async () => {
    for (const now of [SIGNED_AT + 86_401_000, SIGNED_AT - 901_000]) {
      const refused = authenticate(presigned, CREDENTIALS, now);
      await expect(refused).rejects.toMatchObject({ code: 'AccessDenied', status: 403 });
    }
  });

  test.for(['X-Amz-Expires=0', 'X-Amz-Expires=604801', 'X-Amz-Expires=x', 'X-Amz-Expires='])(
    '%s is malformed',
    async (expires) => {
      const query = PRESIGNED_QUERY.replace('X-Amz-Expires=86400', expires);
      const malformed = example('GET', '/test.txt', query, {});
      await expect(authenticate(malformed, CREDENTIALS, SIGNED_AT)).rejects.toMatchObject({
        code: 'AuthorizationQueryParametersError',
      });
    },
  );

  test('is refused together with one in the header', async () => {
    const both = { ...SIGNED_GET, query: presigned.query };
    await expect(authenticate(both, CREDENTIALS, SIGNED_AT)).rejects.toMatchObject({
      code: 'InvalidArgument',
    });
  });
});

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and sigv4-streaming-trailers.html
describe('signatures of chunks', () => {
  const plain = example('PUT', '/examplebucket/chunkObject.txt', '', {
    host: 's3.amazonaws.com',
    'content-encoding': 'aws-chunked',
    'content-length': '66824',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    'x-amz-date': '20130524T000000Z',
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    authorization: authorization(
      'content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class',
      '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
    ),
  });
  const PLAIN_SIGNATURES = [
    'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
    '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
    'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
  ] as const;
  const trailing = example('PUT', '/examplebucket/chunkObject.txt', '', {
    host: 's3.amazonaws.com',
    'content-encoding': 'aws-chunked',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
    'x-amz-date': '20130524T000000Z',
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    'x-amz-trailer': 'x-amz-checksum-crc32c',
    authorization: authorization(
      'content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer',
      '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
    ),
  });
  const TRAILING_SIGNATURES = [
    'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
    '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
    '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
  ] as const;
  const TRAILER =
    'x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n';

  function chunks([first, second, last]: readonly [string, string, string], trailer = ''): string {
    return [
      `10000;chunk-signature=${first}\r\n${'a'.repeat(65_536)}\r\n`,
      `400;chunk-signature=${second}\r\n${'a'.repeat(1024)}\r\n`,
      `0;chunk-signature=${last}\r\n${trailer}\r\n`,
    ].join('');
  }

  async function decode(request: S3Request, body: string, pieceBytes: number): Promise<string> {
    const { chunks: signer } = await authenticate(request, CREDENTIALS, SIGNED_AT);
    const bytes = Buffer.from(body, 'latin1');
    const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
      bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
    );
    const trailers = new Map<string, string>();
    const decoded: Uint8Array[] = [];
    const hasTrailers = request === trailing;
    for await (const piece of decodeChunks(Readable.from(pieces), { signer, hasTrailers }, trailers)) {
      decoded.push(piece);
    }
    return (
      Buffer.concat(decoded).toString('latin1') +
      [...trailers].map(([name, value]) => `${name}=${value}`).join()
    );
  }

  test.for([1, 7, 1000, 100_000])('are valid if made by AWS, in pieces of %i bytes', async (size) => {
    const whole = 'a'.repeat(66_560);
    expect(await decode(plain, chunks(PLAIN_SIGNATURES), size)).toBe(whole);
    const withTrailer = await decode(trailing, chunks(TRAILING_SIGNATURES, TRAILER), size);
    expect(withTrailer).toBe(`${whole}x-amz-checksum-crc32c=sOO8/Q==`);
  });

  test('are wrong for other bytes, another order and another trailer', async () => {
    const [first, second, last] = PLAIN_SIGNATURES;
    const wrong = [
      decode(plain, chunks(PLAIN_SIGNATURES).replace('aaaa', 'aaab'), 1000),
      decode(plain, chunks([second, first, last]), 1000),
      decode(plain, chunks([first, second, second]), 1000),
      decode(trailing, chunks(TRAILING_SIGNATURES, TRAILER.replace('sOO8', 'sOO9')), 1000),
      decode(trailing, chunks(TRAILING_SIGNATURES, ''), 1000),
    ];
    for (const decoded of wrong)
      await expect(decoded).rejects.toMatchObject({ code: 'SignatureDoesNotMatch' });
  });

  test('are reported missing if the body ends too early', async () => {
    const body = chunks(PLAIN_SIGNATURES);
    for (const length of [0, 10, 100, 65_000, body.length - 100]) {
      const cut = decode(plain, body.slice(0, length), 1000);
      await expect(cut).rejects.toMatchObject({ code: 'IncompleteBody', status: 400 });
    }
  });
});
