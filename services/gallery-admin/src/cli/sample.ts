import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Kysely } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';

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

/** An image to be drawn and put into the bucket. */
interface Drawing {
  key: string;
  contentType: 'image/jpeg' | 'image/png';
  svg: string;
}

const WIDTH = 1600;
const HEIGHT = 1000;

function svg(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">${content}</svg>`;
}

/** Hills in front of a sky, each row darker than the one behind it. */
function hills(sky: [from: string, to: string], hue: number, sun: { x: number; y: number }): string {
  const rows = Array.from({ length: 5 }, (_, row) => {
    const base = 480 + row * 110;
    const crest = Array.from({ length: 17 }, (_, i) => {
      const height = Math.sin(i * (0.7 + row * 0.23) + row * 1.9) * (90 - row * 10);
      return `${i * 100},${Math.round(base - height)}`;
    });
    const fill = `hsl(${hue} 38% ${58 - row * 11}%)`;
    return `<polygon fill="${fill}" points="0,${HEIGHT} ${crest.join(' ')} ${WIDTH},${HEIGHT}"/>`;
  });
  return svg(
    `<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${sky[0]}"/><stop offset="1" stop-color="${sky[1]}"/></linearGradient></defs>` +
      `<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/>` +
      `<circle cx="${sun.x}" cy="${sun.y}" r="90" fill="#fff" opacity="0.85"/>${rows.join('')}`,
  );
}

/** Tiles of quarter circles, turned by a fixed rule. */
function tiles(hue: number): string {
  const size = 100;
  const shapes = Array.from({ length: (WIDTH / size) * (HEIGHT / size) }, (_, i) => {
    const [x, y] = [(i % (WIDTH / size)) * size, Math.floor(i / (WIDTH / size)) * size];
    const turn = ((i * 7 + Math.floor(i / 5) * 3) % 4) * 90;
    const fill = `hsl(${hue + ((i * 37) % 60)} 60% ${45 + ((i * 13) % 30)}%)`;
    const shape = `<rect width="${size}" height="${size}" fill="hsl(${hue} 30% 92%)"/><path fill="${fill}" d="M0 0H${size}A${size} ${size} 0 0 1 0 ${size}Z"/>`;
    return `<g transform="translate(${x} ${y}) rotate(${turn} ${size / 2} ${size / 2})">${shape}</g>`;
  });
  return svg(shapes.join(''));
}

/** The images of a first look. */
function drawings(): Drawing[] {
  const jpeg = 'image/jpeg';
  return [
    {
      key: 'landscapes/hills 2.jpg',
      contentType: jpeg,
      svg: hills(['#7db9e8', '#fdf3d8'], 110, { x: 1250, y: 220 }),
    },
    {
      key: 'landscapes/hills 10.jpg',
      contentType: jpeg,
      svg: hills(['#2b1b4d', '#f0805a'], 275, { x: 800, y: 430 }),
    },
    {
      key: 'landscapes/山.jpg',
      contentType: jpeg,
      svg: hills(['#dfe9f3', '#ffffff'], 205, { x: 360, y: 260 }),
    },
    // The articles of content's sample show these two.
    {
      key: 'public/hills.jpg',
      contentType: jpeg,
      svg: hills(['#c3d4ee', '#fbe3cf'], 215, { x: 1080, y: 300 }),
    },
    { key: 'public/tiles.png', contentType: 'image/png', svg: tiles(0) },
    { key: 'patterns/tiles.png', contentType: 'image/png', svg: tiles(20) },
    { key: 'patterns/плитка.png', contentType: 'image/png', svg: tiles(190) },
  ];
}
