import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Kysely } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';
import { drawings } from './drawings.ts';

/**
 * The setting that records that the sample was created, so that it does not come back after being deleted.
 */
const SAMPLED = 'sample';

/** Puts a few drawn images into an empty bucket that never had them; does nothing otherwise. */
export async function addSample({ name, s3 }: Bucket, db: Kysely<GalleryTables>): Promise<void> {
  const known = await db
    .selectFrom('gallery.setting')
    .select('key')
    .where('key', '=', SAMPLED)
    .executeTakeFirst();
  if (known !== undefined) return;
  const { KeyCount = 0 } = await s3.send(new ListObjectsV2Command({ Bucket: name, MaxKeys: 1 }));
  const images = KeyCount === 0 ? drawings() : [];
  for (const { key, svg, contentType } of images) {
    // Loaded when it is needed: a later start would take longer.
    const { default: sharp } = await import('sharp');
    const Body = await sharp(Buffer.from(svg))
      .toFormat(contentType === 'image/png' ? 'png' : 'jpeg')
      .toBuffer();
    await s3.send(new PutObjectCommand({ Bucket: name, Key: key, Body, ContentType: contentType }));
  }
  await db
    .insertInto('gallery.setting')
    .values({ key: SAMPLED, value: 'true' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if (images.length > 0) console.log(`The bucket was empty; added ${images.length} sample images.`);
}
