import { crc32 } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { drawWithMagick } from '@pressroom/gallery-admin/stills/magick';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CORNERS, cornersSeen, drawn, turned } from '../fixtures/images.ts';
import {
  bmp,
  cameraRaw,
  HEIC,
  HEIC_10_BITS,
  JP2,
  JXL,
  LARGE_PDF,
  PDF,
  PLACED_HEIC,
  psd,
  SLOW_PDF,
} from '../fixtures/stills.ts';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';

let gallery: GalleryFixture;

beforeAll(async () => {
  gallery = await galleryFixture({ MEDIA_PUBLIC: 'public/' });
});
afterAll(() => gallery?.close());

async function put(Key: string, Body: Buffer, ContentType: string): Promise<void> {
  await gallery.s3.send(new PutObjectCommand({ Bucket: gallery.bucket, Key, Body, ContentType }));
}

async function read(path: string) {
  const response = await fetch(gallery.url + path, { headers: { cookie: gallery.cookie } });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

let count = 0;

/** Uploads a file under a new name, and reads its thumbnail. */
async function thumbnail(file: Buffer, type: string, more = '') {
  count += 1;
  const key = `files/${count}`;
  await put(key, file, type);
  return read(`/api/gallery/media?key=${key}&thumbnail=true${more}`);
}

/** A JPEG that is not turned itself. */
async function small(): Promise<Buffer> {
  return sharp(await turned(1))
    .resize(30, 20)
    .jpeg()
    .toBuffer();
}

test.each<[string, string, () => Buffer | Promise<Buffer>]>([
  ['HEIC, turned', 'image/heic', () => HEIC],
  ['HEIC of 10 bits', 'image/heic', () => HEIC_10_BITS],
  ['HEIC that begins as AVIF does', 'image/heif', () => renamed(HEIC, 'ftypheic', 'ftypmif1')],
  [
    'HEIC that turns itself, whatever its EXIF says',
    'image/heic',
    () => renamed(turnedByExif(PLACED_HEIC), 'pixi', 'irot'),
  ],
  [
    'AVIF, animated',
    'image/avif',
    async () =>
      renamed(
        await sharp(await turned(1))
          .avif({ quality: 90 })
          .toBuffer(),
        'ftypavif',
        'ftypavis',
      ),
  ],
  [
    'BigTIFF',
    'image/tiff',
    async () =>
      sharp(await turned(1))
        .tiff({ bigtiff: true })
        .toBuffer(),
  ],
  ['JPEG 2000', 'image/jp2', () => JP2],
  [
    'JPEG 2000 without its boxes',
    'application/octet-stream',
    () => JP2.subarray(JP2.indexOf('\xff\x4f\xff\x51', 'latin1')),
  ],
  ['JPEG XL', 'image/jxl', () => JXL],
  ['BMP', 'application/octet-stream', async () => bmp(await turned(1))],
  ['Photoshop', 'image/vnd.adobe.photoshop', async () => psd(await turned(1))],
  [
    'a raw file of a camera',
    'application/octet-stream',
    async () => cameraRaw([await small(), await turned(1)], 1),
  ],
  [
    'a raw file that begins with the sensor',
    'image/x-pentax-pef',
    async () => cameraRaw([await small(), await turned(1)], 1, 'Pentax'),
  ],
])('the thumbnail of %s is seen as it is meant', async (_, type, draw) => {
  const { status, headers, body } = await thumbnail(await draw(), type);
  expect([status, headers.get('content-type'), headers.get('x-thumbnail')]).toEqual([
    200,
    'image/webp',
    null,
  ]);
  const { width, height } = await sharp(body).metadata();
  expect([width, height]).toEqual([120, 80]);
  expect(await cornersSeen(body)).toEqual(CORNERS);
});

/** An orange, which is another one in other colour spaces. */
const ORANGE = [200, 100, 50];

test.each<[string, string, () => Buffer | Promise<Buffer>, number[]]>([
  ['an AVIF in Display P3', 'image/avif', () => p3Avif(), ORANGE],
  ['a PNG in Display P3', 'image/png', () => cicpPng([189, 106, 63], [12, 13]), ORANGE],
  // HDR: white paper leaves room for brighter light.
  ['a PNG in PQ', 'image/png', () => cicpPng([148, 148, 148], [9, 16]), [190, 190, 190]],
  ['a PNG in HLG', 'image/png', () => cicpPng(ORANGE, [9, 18]), [242, 73, 17]],
])(
  'the colours of %s are as they are meant, though only numbers name them',
  async (_, type, draw, expected) => {
    const { body } = await thumbnail(await draw(), type);
    const seen = await sharp(body).extract({ left: 4, top: 4, width: 1, height: 1 }).raw().toBuffer();
    const off = expected.map((part, index) => Math.abs(part - (seen[index] ?? 0)));
    expect([[...seen], Math.max(...off) <= 12]).toEqual([expect.anything(), true]);
  },
);

test('a HEIC in PQ is drawn with a profile, and one in sRGB needs none', async () => {
  const hasProfile = async (heic: Buffer) => {
    const still = await drawWithMagick(heic, 'HEIC', 480);
    return 'image' in still && (await sharp(still.image).metadata()).hasProfile;
  };
  expect([await hasProfile(nclxHeic([9, 16])), await hasProfile(HEIC)]).toEqual([true, false]);
});

test('a HEIC is turned by its EXIF where nothing else in it says how', async () => {
  const { body } = await thumbnail(turnedByExif(PLACED_HEIC), 'image/heic');
  const { width, height } = await sharp(body).metadata();
  expect([width, height]).toEqual([80, 120]);
  // A quarter of a turn clockwise.
  expect(await cornersSeen(body)).toEqual([...CORNERS.slice(3), ...CORNERS.slice(0, 3)]);
});

test('the largest picture in a raw file is turned as the file says', async () => {
  const sensor = Buffer.from('\xff\xd8\xff\xc3\0\x0b\x0e\x40\0\x40\0\x01', 'latin1');
  const stored = sharp(await turned(6)).keepMetadata();
  const jpeg = await sharp(await stored.toBuffer())
    .rotate(0)
    .jpeg({ quality: 100 })
    .toBuffer();
  const { body } = await thumbnail(cameraRaw([await small(), jpeg, sensor], 6), 'application/octet-stream');
  expect(await cornersSeen(body)).toEqual(CORNERS);
});

test('of a PDF there is the first page', async () => {
  const { status, body } = await thumbnail(PDF, 'application/pdf');
  const { width, height } = await sharp(body).metadata();
  expect([status, width, height]).toEqual([200, 480, 320]);
  expect(await cornersSeen(body)).toEqual(CORNERS);
});

test('a large thumbnail has up to 2,048 pixels', async () => {
  const sizes = [PDF, await drawn(3000, 1500), await drawn(900, 600)].map(async (file) => {
    const { width, height } = await sharp(
      (await thumbnail(file, 'image/jpeg', '&size=large')).body,
    ).metadata();
    return [width, height];
  });
  expect(await Promise.all(sizes)).toEqual([
    [2048, 1365],
    [2048, 1024],
    [900, 600],
  ]);
  expect((await thumbnail(PDF, 'image/jpeg', '&size=huge')).status).toBe(400);
});

test.each<[string, string, string, () => Buffer | Promise<Buffer>]>([
  ['half a HEIC', 'image/heic', 'damaged', () => HEIC.subarray(0, HEIC.length - 60)],
  [
    'a HEIC of nonsense',
    'image/heic',
    'damaged',
    () => renamed(Buffer.alloc(9000, 7), '\x07'.repeat(12), '\0\0\0\x18ftypheic'),
  ],
  [
    'half a Photoshop file',
    'image/vnd.adobe.photoshop',
    'damaged',
    async () => (await psd(await turned(1))).subarray(0, 90),
  ],
  ['half a PDF', 'application/pdf', 'damaged', () => Buffer.from('%PDF-1.4\n1 0 obj\n<<')],
  ['a PDF with a password', 'application/pdf', 'locked', () => LOCKED],
  ['a raw file without a preview', 'application/octet-stream', 'no_preview', () => cameraRaw([], 1)],
  ['a PDF that would take gigabytes', 'application/pdf', 'too_complex', () => LARGE_PDF],
  ['what is no picture', 'image/x-unknown', 'unsupported', () => Buffer.from('Hello')],
])('%s has no thumbnail, and it is said why', async (_, type, reason, draw) => {
  const { status, headers } = await thumbnail(await draw(), type);
  const said = [headers.get('content-type'), headers.get('x-thumbnail'), headers.get('x-thumbnail-reason')];
  expect([status, ...said]).toEqual([200, 'image/svg+xml', 'placeholder', reason]);
  // The service goes on, and so do those like it.
  expect((await thumbnail(HEIC, 'image/heic')).headers.get('x-thumbnail')).toBeNull();
});

test('a HEIC that claims 30,000 × 30,000 pixels is not decoded', async () => {
  const at = HEIC.indexOf('ispe') + 8;
  const file = Buffer.from(HEIC).fill('\0\0\x75\x30', at, at + 8, 'latin1');
  const { status, body } = await thumbnail(file, 'image/heic');
  expect([status, JSON.parse(body.toString()).code]).toEqual([400, 'too_many_pixels']);
});

test('others wait for none that takes long', async () => {
  const photo = await drawn(2000, 1000);
  // More than are fetched at a time.
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  await put('slow/bomb', SLOW_PDF, 'application/pdf');
  for (const index of numbers) {
    await put(`slow/${index}.heic`, HEIC, 'image/heic');
    await put(`slow/${index}.jpg`, photo, 'image/jpeg');
  }
  const ask = (name: string) => read(`/api/gallery/media?key=slow/${name}&thumbnail=true`);
  const done: string[] = [];
  const slow = ask('bomb').then((answer) => {
    done.push('slow');
    return answer;
  });
  const waiting = numbers.map((index) => ask(`${index}.heic`));
  await Promise.all(numbers.map((index) => ask(`${index}.jpg`)));
  done.push('photos');
  const { status, headers: said } = await slow;
  // A busy machine cannot tell whose fault it is within a minute.
  expect(said.get('x-thumbnail-reason') ?? status).toBeOneOf(['too_complex', 503]);
  expect(done).toEqual(['photos', 'slow']);
  expect(new Set((await Promise.all(waiting)).map(({ headers }) => headers.get('content-type')))).toEqual(
    new Set(['image/webp']),
  );
});

test.each([
  ['HEIC', 'image/heic', HEIC, 120, 80],
  ['PDF', 'application/pdf', PDF, 3840, 2560],
])('anyone gets renditions of a public %s, and its description', async (name, type, file, width, height) => {
  await put(`public/${name}`, file, type);
  const { status, headers, body } = await read(`/media/public/${name}?w=64&format=webp`);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/webp']);
  expect((await sharp(body).metadata()).width).toBe(64);
  expect(await cornersSeen(body)).toEqual(CORNERS);
  expect(JSON.parse((await read(`/media/public/${name}.json`)).body.toString())).toMatchObject({
    width,
    height,
  });
});

test('a rendition of a HEIC says whose it is, and not where it was made', async () => {
  await put('public/phone.heic', PLACED_HEIC, 'image/heic');
  const { body } = await read('/media/public/phone.heic?w=64&format=webp');
  const { exif, xmpAsString } = await sharp(body).metadata();
  expect([exif, xmpAsString]).toEqual([undefined, expect.stringContaining('Zoe Photographer')]);
  const { credit } = JSON.parse((await read('/media/public/phone.heic.json')).body.toString());
  expect(credit).toBe('Zoe Photographer');
});

test('a document that is no picture is refused as before', async () => {
  for (const [type, file] of [
    ['application/octet-stream', 'Hello'],
    ['text/plain', '%PDF-1.4'],
  ] as const) {
    const { status, body } = await thumbnail(Buffer.from(file), type);
    expect([status, JSON.parse(body.toString()).code]).toEqual([400, 'not_media']);
  }
  await put('public/text', Buffer.from('Hello'), 'application/octet-stream');
  expect((await read('/media/public/text?w=64')).status).toBe(400);
});

/** A PDF whose standard security handler wants a password, which none of its entries fit. */
const LOCKED = Buffer.from(
  PDF.toString('latin1').replace(
    '/Root 1 0 R',
    `/Root 1 0 R/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${'11'.repeat(32)}>/U<${'22'.repeat(32)}>>>`,
  ),
  'latin1',
);

function renamed(file: Buffer, from: string, to: string): Buffer {
  return Buffer.from(file.toString('latin1').replace(from, to), 'latin1');
}

/** Lets the EXIF of a HEIC say that the picture is to be turned clockwise. */
function turnedByExif(heic: Buffer): Buffer {
  const file = Buffer.from(heic);
  file[file.indexOf(Buffer.of(0x12, 0x01, 3, 0)) + 8] = 6;
  return file;
}

function plain([r = 0, g = 0, b = 0]: number[]) {
  return sharp({ create: { width: 40, height: 30, channels: 3, background: { r, g, b } } });
}

/** With code points where sharp has written a profile. */
async function p3Avif(): Promise<Buffer> {
  const file = await plain(ORANGE).withIccProfile('p3').avif({ quality: 100 }).toBuffer();
  const at = file.indexOf('colrrICC');
  file.fill(0, at + 8, at - 4 + file.readUInt32BE(at - 4));
  file.write('nclx\0\x0c\0\x0d\0\x06\x80', at + 4, 'latin1');
  return file;
}

/** A PNG with a cICP chunk (PNG 3rd edition, section 11.3.2.6). */
async function cicpPng(color: number[], [primaries = 0, transfer = 0]: number[]): Promise<Buffer> {
  const png = await plain(color).png().toBuffer();
  const chunk = Buffer.from([0, 0, 0, 4, ...Buffer.from('cICP'), primaries, transfer, 0, 1, 0, 0, 0, 0]);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 12)), 12);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

function nclxHeic([primaries = 0, transfer = 0]: number[]): Buffer {
  const file = Buffer.from(HEIC);
  const at = file.indexOf('colrnclx');
  file.writeUInt16BE(primaries, at + 8);
  file.writeUInt16BE(transfer, at + 10);
  return file;
}
