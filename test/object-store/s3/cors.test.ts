import {
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  GetObjectCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'vitest';
import { s3Error } from '../../support/s3/errors.ts';
import { type Server, test } from '../../support/s3/fixtures.ts';
import { put } from '../../support/s3/objects.ts';

const SITE = 'https://admin.example';
const RULES = [
  {
    AllowedOrigins: [SITE, 'https://*.site.example'],
    AllowedMethods: ['GET', 'PUT'],
    AllowedHeaders: ['content-type', 'x-amz-*'],
    ExposeHeaders: ['ETag', 'x-amz-request-id'],
    MaxAgeSeconds: 600,
  },
  { AllowedOrigins: ['*'], AllowedMethods: ['HEAD'] },
];

function allow(s3: S3Client, bucket: string) {
  return s3.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: RULES } }));
}

function preflight(server: Server, bucket: string, origin: string, method: string, headers?: string) {
  return fetch(`${server.endpoint}/${bucket}/k`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      ...(headers === undefined ? {} : { 'access-control-request-headers': headers }),
    },
  });
}

function listOf(response: Response, name: string): string[] {
  return (response.headers.get(name) ?? '').split(',').map((item) => item.trim());
}

test('rules are kept, replaced and removed', async ({ s3, bucket }) => {
  const get = () => s3.send(new GetBucketCorsCommand({ Bucket: bucket }));
  await expect(get()).rejects.toEqual(s3Error('NoSuchCORSConfiguration', 404));
  await allow(s3, bucket);
  const { CORSRules } = await get();
  expect(CORSRules).toHaveLength(2);
  expect(CORSRules?.[0]?.AllowedOrigins?.toSorted()).toEqual(RULES[0]?.AllowedOrigins?.toSorted());
  expect(CORSRules?.[0]?.ExposeHeaders?.toSorted()).toEqual(['ETag', 'x-amz-request-id']);
  expect(CORSRules?.[0]?.MaxAgeSeconds).toBe(600);
  await s3.send(new DeleteBucketCorsCommand({ Bucket: bucket }));
  await expect(get()).rejects.toEqual(s3Error('NoSuchCORSConfiguration', 404));
});

test('a browser is told what it may send', async ({ server, s3, bucket }) => {
  await allow(s3, bucket);
  const response = await preflight(server, bucket, SITE, 'PUT', 'content-type,x-amz-meta-author');
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBe(SITE);
  expect(listOf(response, 'access-control-allow-methods')).toContain('PUT');
  expect(listOf(response, 'access-control-allow-headers')).toEqual(['content-type', 'x-amz-meta-author']);
  expect(listOf(response, 'access-control-expose-headers')).toContain('ETag');
  expect(response.headers.get('access-control-max-age')).toBe('600');
  expect(listOf(response, 'vary')).toContain('Origin');
});

test('an origin may be given by a pattern', async ({ server, s3, bucket }) => {
  await allow(s3, bucket);
  const origin = 'https://www.site.example';
  const response = await preflight(server, bucket, origin, 'GET');
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
});

test.for([
  ['another origin', 'https://evil.example', 'PUT', undefined],
  ['an origin that only ends alike', 'https://site.example.evil', 'GET', undefined],
  ['another method', SITE, 'DELETE', undefined],
  ['another header', SITE, 'PUT', 'x-custom'],
] as const)('%s is refused', async ([, origin, method, headers], { server, s3, bucket }) => {
  await allow(s3, bucket);
  const response = await preflight(server, bucket, origin, method, headers);
  expect(response.status).toBe(403);
  expect(response.headers.has('access-control-allow-origin')).toBe(false);
});

test('without rules every origin is refused', async ({ server, bucket }) => {
  expect((await preflight(server, bucket, SITE, 'PUT')).status).toBe(403);
});

test('a page reads the ETag of what it has uploaded', async ({ s3, bucket }) => {
  await allow(s3, bucket);
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket: bucket, Key: 'k' }));
  const response = await fetch(url, { method: 'PUT', body: 'x', headers: { origin: SITE } });
  expect(response.headers.get('access-control-allow-origin')).toBe(SITE);
  expect(listOf(response, 'access-control-expose-headers')).toContain('ETag');
  expect(response.headers.get('etag')).toBe('"9dd4e461268c8034f5c8564e155c67a6"');
});

test('a page reads errors, too', async ({ server, s3, bucket }) => {
  await allow(s3, bucket);
  const missing = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'missing' }));
  const notFound = await fetch(missing, { headers: { origin: SITE } });
  expect([notFound.status, notFound.headers.get('access-control-allow-origin')]).toEqual([404, SITE]);
  const unsigned = await fetch(`${server.endpoint}/${bucket}/k`, { headers: { origin: SITE } });
  expect([unsigned.status, unsigned.headers.get('access-control-allow-origin')]).toEqual([403, SITE]);
});

test('an origin without a rule gets its answer, but may not read it', async ({ s3, bucket }) => {
  await allow(s3, bucket);
  await put(s3, bucket, 'k', 'text');
  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'k' }));
  const response = await fetch(url, { headers: { origin: 'https://evil.example' } });
  expect(response.status).toBe(200);
  expect(response.headers.has('access-control-allow-origin')).toBe(false);
});
