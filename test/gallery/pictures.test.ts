import { drawWithMagick } from '@pressroom/gallery-admin/stills/magick';
import type { Bytes } from '@pressroom/pictures/bytes';
import { isCutOff } from '@pressroom/pictures/cut-off';
import { findPlaces } from '@pressroom/pictures/find-places';
import { NotUnderstood } from '@pressroom/pictures/not-understood';
import { mayCarryPlace, type PictureKind, stripped } from '@pressroom/pictures/strip';
import fc from 'fast-check';
import { JSDOM } from 'jsdom';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { PLACED_HEIC, THUMBNAILED_AVIF, THUMBNAILED_HEIC } from '../fixtures/stills.ts';

const { DOMParser } = new JSDOM('').window;
const parseXml = (xml: string) => new DOMParser().parseFromString(xml, 'application/xml');

/** In everything that is not to be published. */
const SECRET = 'SECRET';

const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:p="http://ns.adobe.com/photoshop/1.0/"
 xmlns:aux="http://ns.adobe.com/exif/1.0/aux/" xmlns:dc="http://purl.org/dc/elements/1.1/" aux:SerialNumber="SECRET"
 exif:GPSLatitude="52,31.2N SECRET" p:City="SECRET" p:Credit="Agency &amp; Söhne">
<dc:creator><rdf:Seq><rdf:li>Zoë &lt;Photographer&gt;</rdf:li></rdf:Seq></dc:creator>
<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© 2026</rdf:li></rdf:Alt></dc:rights>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">City Hall</rdf:li></rdf:Alt></dc:description>
<dc:subject><rdf:Bag><rdf:li>SECRET</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>`;

/** A picture with all that a camera and a photo desk write into it. */
async function picture(kind: PictureKind): Promise<Bytes> {
  const pixels = Buffer.from(Uint8Array.from({ length: 48 * 32 * 3 }, (_, index) => (index * 37) % 251));
  const metadata = sharp(pixels, { raw: { width: 48, height: 32, channels: 3 } })
    .withExif({
      IFD0: { Artist: 'Zoe Photographer', Copyright: 'The Agency', Make: SECRET },
      IFD2: { BodySerialNumber: SECRET, UserComment: SECRET, DateTimeOriginal: '2026:11:23 12:00:00' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1', GPSAreaInformation: SECRET },
    })
    .withXmp(XMP)
    .withIccProfile('p3')
    .withMetadata({ orientation: 6 });
  const made = await (kind === 'heif' ? metadata.avif() : metadata.toFormat(kind)).toBuffer();
  return new Uint8Array(kind === 'jpeg' ? withSegments(made) : made);
}

/**
 * Adds segments that sharp does not write: IPTC, a comment, a second picture, and bytes behind the picture.
 */
function withSegments(jpeg: Buffer): Buffer {
  const segment = (marker: number, content: Buffer) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(content.length + 2, 2);
    return Buffer.concat([head, content]);
  };
  const data = (number: number, text: string) => {
    const head = Buffer.from([0x1c, 2, number, 0, text.length]);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  const iptc = Buffer.concat([data(80, 'Zoe By-line'), data(90, SECRET), data(116, 'Agency by law!')]);
  const head = Buffer.from(`8BIM\x04\x04\0\0\0\0\0${String.fromCharCode(iptc.length)}`, 'latin1');
  const thumbnail = Buffer.from(`8BIM\x04\x0c\0\0\0\0\0\x06${SECRET}`, 'latin1');
  const photoshop = Buffer.concat([Buffer.from('Photoshop 3.0\0'), thumbnail, head, iptc]);
  return Buffer.concat([
    jpeg.subarray(0, 2),
    segment(0xed, photoshop),
    segment(0xfe, Buffer.from(SECRET)),
    segment(0xe2, Buffer.from(`MPF\0${SECRET}`)),
    jpeg.subarray(2),
    Buffer.from(`ftypmp42${SECRET}`),
  ]);
}

const places = (bytes: Bytes) =>
  findPlaces(async (from, length) => bytes.slice(from, from + length), bytes.length);

const pixelsOf = (bytes: Bytes, autoOrient: boolean) => sharp(bytes, { autoOrient }).raw().toBuffer();

describe.each<PictureKind>(['jpeg', 'png', 'webp', 'heif'])('a %s', (kind) => {
  let bytes: Bytes;
  let clean: Bytes;
  beforeAll(async () => {
    bytes = await picture(kind);
    clean = (await stripped(bytes, parseXml)) ?? bytes;
  });

  test('loses places and serial numbers, and keeps pixels, credit, colors and orientation', async () => {
    expect(Buffer.from(bytes).includes(SECRET)).toBe(true);
    expect(Buffer.from(clean).includes(SECRET)).toBe(false);
    expect(await pixelsOf(clean, true)).toEqual(await pixelsOf(bytes, true));
    expect(await pixelsOf(clean, false)).toEqual(await pixelsOf(bytes, false));
    const [before, after] = await Promise.all([sharp(bytes).metadata(), sharp(clean).metadata()]);
    // AVIF keeps its orientation outside the metadata.
    expect([before.orientation, after.orientation]).toEqual(
      kind === 'heif' ? [undefined, undefined] : [6, 6],
    );
    expect(after.icc).toEqual(before.icc);
    const exif = after.exif?.toString('latin1') ?? '';
    for (const text of ['Zoe Photographer', 'The Agency', '2026:11:23']) expect(exif).toContain(text);
    for (const text of ['Zoë &lt;Photographer&gt;', '© 2026', 'x-default', 'Agency &amp; Söhne']) {
      expect(after.xmpAsString).toContain(text);
    }
    const iptc = Buffer.from(clean).toString('latin1');
    if (kind === 'jpeg') for (const text of ['Zoe By-line', 'Agency by law!']) expect(iptc).toContain(text);
    expect(await stripped(clean, parseXml)).toBeUndefined();
  });

  test('is found by what it says of places, until that is taken out', async () => {
    expect((await places(bytes)).sort()).toEqual(kind === 'jpeg' ? ['EXIF', 'IPTC', 'XMP'] : ['EXIF', 'XMP']);
    expect(await places(clean)).toEqual([]);
  });

  test('that is broken anywhere is understood or not, and never anything else', async () => {
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    const broken = fc.tuple(changes, fc.nat(bytes.length)).map(([changed, cut]) => {
      const copy = bytes.slice(0, cut % 3 === 0 ? cut : bytes.length);
      for (const [at, value] of changed) if (at < copy.length) copy[at] = value;
      return copy;
    });
    const tried = fc.asyncProperty(broken, async (copy) => {
      const refused = (error: unknown) => {
        if (!(error instanceof NotUnderstood)) throw error;
      };
      try {
        const once = await stripped(copy, parseXml);
        if (once) expect(await stripped(once, parseXml)).toBeUndefined();
      } catch (error) {
        refused(error);
      }
      await places(copy).catch(refused);
    });
    await fc.assert(tried, { numRuns: 150 });
  });
});

test('a HEIC loses all that no picture in it is made of, and keeps its pixels and its size', async () => {
  const hidden = Buffer.from(`a video with ${SECRET}`);
  const data = PLACED_HEIC.lastIndexOf('mdat') - 4;
  const file = Buffer.concat([PLACED_HEIC, hidden, boxOf('mpvd', hidden), boxOf('uuid', hidden)]);
  file.writeUInt32BE(PLACED_HEIC.length + hidden.length - data, data);
  const bytes = new Uint8Array(file);
  await expect(places(bytes)).rejects.toThrow('it holds more than pictures');
  expect(await places(new Uint8Array(PLACED_HEIC))).toEqual(['EXIF']);
  const clean = (await stripped(bytes, parseXml)) ?? bytes;
  expect([clean.length, Buffer.from(clean).includes(SECRET)]).toEqual([bytes.length, false]);
  expect([await places(clean), await stripped(clean, parseXml)]).toEqual([[], undefined]);
  expect(Buffer.from(clean).toString('latin1')).toContain('Zoe Photographer');
  expect(Buffer.from(clean).toString('latin1')).not.toContain('Phone\0');
  expect(await heicPixels(clean)).toEqual(await heicPixels(PLACED_HEIC));
});

test.each([
  ['HEIC', THUMBNAILED_HEIC],
  ['AVIF', THUMBNAILED_AVIF],
])('a %s loses its thumbnail, and keeps its pixels and their transparency', async (kind, file) => {
  const bytes = new Uint8Array(file);
  const clean = (await stripped(bytes, parseXml)) ?? bytes;
  const text = Buffer.from(clean).toString('latin1');
  expect([clean.length, text.includes('thmb'), text.match(/auxl/g)?.length]).toEqual([
    bytes.length,
    false,
    2,
  ]);
  expect([await places(clean), await stripped(clean, parseXml)]).toEqual([[], undefined]);
  const draw = kind === 'HEIC' ? heicPixels : (picture: Bytes) => pixelsOf(picture, true);
  expect(await draw(clean)).toEqual(await draw(bytes));
});

async function heicPixels(heic: Uint8Array): Promise<unknown> {
  const drawn = await drawWithMagick(heic, 'HEIC', 480);
  return 'image' in drawn ? drawn.image : drawn;
}

function boxOf(type: string, content: Buffer): Buffer {
  const head = Buffer.from(`\0\0\0\0${type}`);
  head.writeUInt32BE(8 + content.length);
  return Buffer.concat([head, content]);
}

test('other pictures or a video in a JPEG may say what is not looked for', async () => {
  const jpeg = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  expect(await places(new Uint8Array(jpeg))).toEqual([]);
  const index = Buffer.from('\xff\xe2\0\x06MPF\0', 'latin1');
  const first = jpeg.subarray(0, 2);
  for (const more of [
    Buffer.concat([jpeg, Buffer.from('ftypmp42')]),
    Buffer.concat([first, index, jpeg.subarray(2)]),
  ]) {
    await expect(places(new Uint8Array(more))).rejects.toThrow('other pictures or a video');
    expect(await places((await stripped(new Uint8Array(more), parseXml)) ?? new Uint8Array())).toEqual([]);
  }
});

test('places in unusual parts of a picture are found', async () => {
  const plain = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
  const jpeg = await plain.clone().jpeg().toBuffer();
  const more = Buffer.from(
    `http://ns.adobe.com/xmp/extension/\0${'0'.repeat(40)}<d drone-dji:GpsLatitude="52.5"/>`,
  );
  const head = Buffer.from([0xff, 0xe1, 0, more.length + 2]);
  const extended = Buffer.concat([jpeg.subarray(0, 2), head, more, jpeg.subarray(2)]);
  expect(await places(new Uint8Array(extended))).toEqual(['XMP']);
  const wide = Buffer.from('http://ns.adobe.com/xap/1.0/\0');
  const content = Buffer.concat([wide, Buffer.from('<City xmlns="p">Lisbon</City>', 'utf16le')]);
  const utf16 = Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.from([0xff, 0xe1, 0, content.length + 2]),
    content,
    jpeg.subarray(2),
  ]);
  expect(await places(new Uint8Array(utf16))).toEqual(['XMP']);
  const png = await plain.png().toBuffer();
  const profile = Buffer.from('\0\0\0\x1etEXtRaw profile type APP1\0\nexif\n    0000', 'latin1');
  const converted = Buffer.concat([png.subarray(0, 33), profile, png.subarray(33)]);
  await expect(places(new Uint8Array(converted))).rejects.toThrow('metadata of another format');
});

test('a picture without metadata stays as it is', async () => {
  const plain = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
  for (const kind of ['jpeg', 'png', 'webp'] as const) {
    const bytes = new Uint8Array(await plain.clone().toFormat(kind).toBuffer());
    expect(await stripped(bytes, parseXml), kind).toBe(undefined);
  }
});

test('other kinds of files that may say a place are known by how they begin', () => {
  const starting = (text: string) => mayCarryPlace(Uint8Array.from(Buffer.from(text, 'latin1')));
  for (const text of ['\0\0\0\x18ftypcrx ', '\0\0\0\x20ftypqt  ', '\0\0\0\x0cjP  ', 'II*\0', 'MM\0*'])
    expect(starting(text)).toBe(true);
  for (const text of ['', 'GIF89a', '<svg', '%PDF-1.7', 'plain text, ftyp'])
    expect(starting(text)).toBe(false);
});

test.each(['jpeg', 'png', 'webp', 'gif'] as const)('a %s that ends before its end is told', async (kind) => {
  const pixels = Buffer.from(Uint8Array.from({ length: 96 * 64 * 3 }, (_, index) => (index * index) % 251));
  const drawn = sharp(pixels, { raw: { width: 96, height: 64, channels: 3 } });
  const whole = await drawn
    .withExif({ IFD0: { Artist: 'Zoe' } })
    .toFormat(kind)
    .toBuffer();
  const isCut = (bytes: Buffer) =>
    isCutOff(bytes.length, async (from, length) => new Uint8Array(bytes.subarray(from, from + length)));
  expect(await isCut(whole)).toBe(false);
  // Phones append a video, and mails a line.
  for (const more of ['\r\n', '\0\0\0\x18ftypmp42\xff\xd8\xff\xe0 video'])
    expect(await isCut(Buffer.concat([whole, Buffer.from(more, 'latin1')]))).toBe(false);
  for (const length of [30, whole.length * 0.5, whole.length * 0.9, whole.length - 16])
    expect(await isCut(whole.subarray(0, length)), String(length)).toBe(true);
});
