import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListObjectsV2Command, type ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3';
import { readListing, sendListObjects } from '@pressroom/gallery-admin/objects/object-page';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The store's answer, with the prefix that it was asked for. */
let answer = '';

/** The number of requests that the store first answers with an error. */
let failures = 0;

let s3: S3Client;

const store = createServer((request, response) => {
  if (failures > 0) {
    failures -= 1;
    response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
    return;
  }
  const prefix = new URL(request.url ?? '', 'http://store').searchParams.get('prefix') ?? '';
  response.writeHead(200, { 'content-type': 'application/xml' }).end(answer.replace('PREFIX', prefix));
});

/** A client of the store. */
function open(maxAttempts: number): S3Client {
  const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts });
}

beforeAll(async () => {
  await once(store.listen(0, '127.0.0.1'), 'listening');
  s3 = open(1);
});

afterAll(() => {
  s3.destroy();
  store.close();
});

/** The members of a listing that the service reads, as the SDK parses them. */
async function readBySdk(xml: string) {
  answer = xml;
  const {
    Contents = [],
    CommonPrefixes = [],
    ...page
  } = await s3.send(new ListObjectsV2Command({ Bucket: 'b' }));
  return {
    Contents: Contents.map(({ Key, Size, ETag, LastModified, StorageClass }) => ({
      Key,
      Size,
      ETag,
      LastModified,
      StorageClass,
    })),
    CommonPrefixes,
    EncodingType: page.EncodingType,
    IsTruncated: page.IsTruncated ?? false,
    NextContinuationToken: page.NextContinuationToken,
  };
}

const AWS = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>photos</Name><Prefix>a/</Prefix>\
<NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=</NextContinuationToken><KeyCount>3</KeyCount>\
<MaxKeys>2</MaxKeys><Delimiter>/</Delimiter><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>\
<Contents><Key>a/1+%26.jpg</Key><LastModified>2026-11-21T08:00:00.000Z</LastModified><ETag>&quot;70ee&quot;</ETag>\
<ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>142863</Size>\
<StorageClass>STANDARD</StorageClass></Contents><Contents><Key>a/2.jpg</Key>\
<LastModified>2026-11-21T08:00:01.000Z</LastModified><ETag>&#34;71&#x22;</ETag><Size>0</Size>\
<StorageClass>GLACIER</StorageClass></Contents><CommonPrefixes><Prefix>a/b/</Prefix></CommonPrefixes></ListBucketResult>`;

const INDENTED = `<ListBucketResult>
  <Name>photos</Name>
  <Prefix/>
  <Contents>
    <Key>a&amp;b &lt;1&gt;.jpg</Key>
    <LastModified>2026-11-21T08:00:00Z</LastModified>
    <Owner>
      <ID>0</ID>
      <DisplayName/>
    </Owner>
    <ETag>"70"</ETag>
    <Size>7</Size>
  </Contents>
  <CommonPrefixes>
    <Prefix>b/</Prefix>
  </CommonPrefixes>
  <IsTruncated>false</IsTruncated>
</ListBucketResult>
`;

const ONLY_KEYS = '<ListBucketResult><Contents><Key>&#20013;&#x4E2D;</Key></Contents></ListBucketResult>';

const EMPTY = '<?xml version="1.0"?><ListBucketResult xmlns="x"><KeyCount>0</KeyCount></ListBucketResult>';

test.each([
  ['of AWS', AWS],
  ['with indentation and owners', INDENTED],
  ['of objects that have only keys', ONLY_KEYS],
  ['without anything', EMPTY],
])('a listing %s is read as the SDK reads it', async (_what, xml) => {
  expect(readListing(xml)).toEqual(await readBySdk(xml));
  expect(await sendListObjects(s3, { Bucket: 'b' })).toEqual(readListing(xml));
});

test.each([
  [
    'a comment',
    '<ListBucketResult><!-- <Key>no</Key> --><Contents><Key>a</Key></Contents></ListBucketResult>',
  ],
  ['CDATA', '<ListBucketResult><Contents><Key><![CDATA[a]]></Key></Contents></ListBucketResult>'],
  ['attributes', '<ListBucketResult><Contents a="1"><Key b="2">a</Key></Contents></ListBucketResult>'],
])('a listing with %s is left to the SDK', async (_what, xml) => {
  expect(readListing(xml)).toBeUndefined();
  answer = xml;
  const { Contents } = await sendListObjects(s3, { Bucket: 'b' });
  expect(Contents).toEqual([{ Key: 'a' }]);
});

test.each([
  ['breaks off', AWS.slice(0, -20)],
  ['ends what has not begun', AWS.replace('<Contents>', '</Owner><Contents>')],
  ['is an error', '<Error><Code>SlowDown</Code></Error>'],
  ['is a page', '<!doctype html><title>Welcome</title><p>It works!</html>'],
])('an answer that %s is what it is to the SDK', async (_what, xml) => {
  expect(readListing(xml)).toBeUndefined();
  answer = xml;
  const nameOf = (error: Error) => `${error.name}: ${error.message}`;
  const bySdk = await s3.send(new ListObjectsV2Command({ Bucket: 'b' })).catch(nameOf);
  const ours = await sendListObjects(s3, { Bucket: 'b' }).catch(nameOf);
  if (typeof bySdk === 'string') expect(ours).toBe(bySdk);
  else expect(ours).not.toHaveProperty('Contents');
});

test('lists that are asked for at the same time are each their own', async () => {
  const prefixes = Array.from({ length: 20 }, (_, index) => `${index}/`);
  answer = '<ListBucketResult><Contents><Key>PREFIX</Key></Contents></ListBucketResult>';
  const listings = await Promise.all(prefixes.map((Prefix) => sendListObjects(s3, { Bucket: 'b', Prefix })));
  expect(listings.map(({ Contents }) => Contents?.[0]?.Key)).toEqual(prefixes);
});

test('a list that fails once is asked for again', async () => {
  failures = 1;
  answer = EMPTY;
  const repeating = open(2);
  expect(await sendListObjects(repeating, { Bucket: 'b' })).toEqual(readListing(EMPTY));
  repeating.destroy();
  expect(failures).toBe(0);
});

test.each(['&#x110000;', '&#9999999;', '&nbsp;', '&'])(
  'a key with %s is what it is to the SDK',
  async (text) => {
    answer = `<ListBucketResult><Contents><Key>a${text}</Key></Contents></ListBucketResult>`;
    expect(readListing(answer)).toBeUndefined();
    const outcome = (sent: Promise<Pick<ListObjectsV2CommandOutput, 'Contents'>>) =>
      sent.then(
        ({ Contents }) => Contents,
        (error: Error) => `${error.name}: ${error.message}`,
      );
    const bySdk = await outcome(s3.send(new ListObjectsV2Command({ Bucket: 'b' })));
    expect(await outcome(sendListObjects(s3, { Bucket: 'b' }))).toEqual(bySdk);
  },
);

test('any key is read as it was written', () => {
  const written = (key: string) => key.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', minLength: 1 }), { maxLength: 5 }), (keys) => {
      const contents = keys.map((key) => `<Contents><Key>${written(key)}</Key></Contents>`).join('');
      const listing = readListing(`<ListBucketResult>${contents}</ListBucketResult>`);
      expect(listing?.Contents?.map(({ Key }) => Key)).toEqual(keys);
    }),
  );
});
