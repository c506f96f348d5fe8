import { Readable } from 'node:stream';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { sendListObjects } from '@pressroom/gallery-admin/listing/list-objects';
import { objectUrlSigner } from '@pressroom/gallery-admin/listing/object-url-signer';
import type { Figure } from '../figures/figure.ts';
import { timed } from './ways.ts';

/** The answer of a store to a list of 1,000 objects. */
const LISTING = Buffer.from(
  `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>bench</Name><IsTruncated>false</IsTruncated>${Array.from(
    { length: 1000 },
    (_, index) =>
      `<Contents><Key>photos/${index}.jpg</Key><LastModified>2026-11-22T10:00:00.000Z</LastModified>` +
      '<ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>1</Size></Contents>',
  ).join('')}</ListBucketResult>`,
);

/** A page of a bucket: how the store's answer is read, and how the URLs are signed. */
export async function measureLists(): Promise<Figure[]> {
  const s3 = new S3Client({
    region: 'us-east-1',
    endpoint: 'http://store.example',
    forcePathStyle: true,
    credentials: { accessKeyId: 'bench', secretAccessKey: 'a secret of the bench' },
    requestHandler: {
      handle: async () => ({ response: { statusCode: 200, headers: {}, body: Readable.from([LISTING]) } }),
    },
  });
  const input = { Bucket: 'bench' };
  const get = new GetObjectCommand({ Bucket: 'bench', Key: 'photos/1.jpg' });
  const signUrl = await objectUrlSigner({ baseUrls: ['http://store.example/bench/'], signer: s3 }, 3600);
  return timed(
    {
      file: 'listing-xml.ts',
      instead: "the SDK's reading of 1,000 objects",
      trick: () => sendListObjects(s3, input),
      plain: () => s3.send(new ListObjectsV2Command(input)),
      times: 20,
    },
    {
      file: 'object-url-signer.ts',
      instead: "the SDK's presigner for each URL",
      trick: () => signUrl('photos/1.jpg'),
      plain: () => getSignedUrl(s3, get, { expiresIn: 3600 }),
      times: 1000,
    },
  );
}
