import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl, S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import fc from 'fast-check';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { type Bucket, StoreConnections } from '../buckets/bucket.ts';
import { objectUrlSigner } from './read-urls.ts';

const SIGNED_AT = new Date('2026-11-21T08:00:00Z');

const connections = new StoreConnections();

afterEach(() => {
  vi.useRealTimers();
});

afterAll(() => connections.close());

function bucketAt(endpoint: string, forcePathStyle: boolean, accessKeyId = 'access'): Bucket {
  return connections.open({
    id: 'photos',
    name: 'photos',
    endpoint,
    publicEndpoint: null,
    region: 'eu-west-1',
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey: 'secret/+=' },
  });
}

async function addressBySdk({ name, signer }: Bucket, key: string) {
  const command = new GetObjectCommand({ Bucket: name, Key: key });
  const { origin, pathname } = new URL(await getSignedUrl(signer, command));
  return origin + pathname;
}

/** The parameters of the URL that the SDK's presigner makes of a path. */
async function signedBySdk({ signer }: Bucket, path: URL, query: Record<string, string>) {
  const { protocol, hostname, port, host, pathname } = path;
  const request = { protocol, hostname, ...(port && { port: Number(port) }), method: 'GET' };
  const presigned = await new S3RequestPresigner({ ...signer.config }).presign(
    { ...request, path: pathname, query, headers: { host } },
    { expiresIn: 3600, signingDate: SIGNED_AT },
  );
  return presigned.query;
}

test.each<[name: string, endpoint: string, forcePathStyle: boolean, accessKeyId?: string]>([
  ['by path', 'http://127.0.0.1:9000', true],
  ['by host', 'https://s3.eu-west-1.amazonaws.com', false],
  ['behind a path', 'https://store.example/s3/', true],
  ['with a slash in the access key', 'https://store.example', true, 'tenant/access'],
])('any key of a bucket %s is signed as the SDK signs it', async (_name, endpoint, byPath, accessKeyId) => {
  const bucket = bucketAt(endpoint, byPath, accessKeyId);
  vi.useFakeTimers({ now: SIGNED_AT, toFake: ['Date'] });
  const sign = await objectUrlSigner(bucket, 3600);
  const key = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !/(^|\/)\.\.?(\/|$)/.test(text));
  const disposition = fc.option(fc.string(), { nil: undefined });
  const examples: [string, string | undefined][] = [
    ["a b+c%2B%/é 日本🎉/!'()*~-_.&=?#", undefined],
    ['/a//b/', 'attachment; filename="b"'],
    ['long/'.repeat(204), undefined],
  ];
  await fc.assert(
    fc.asyncProperty(key, disposition, async (name, saved) => {
      const url = new URL(sign(name, saved));
      expect(url.origin + url.pathname).toBe(await addressBySdk(bucket, name));
      const query: Record<string, string> =
        saved === undefined ? {} : { 'response-content-disposition': saved };
      expect(Object.fromEntries(url.searchParams)).toEqual(await signedBySdk(bucket, url, query));
    }),
    { examples },
  );
});
