import { ascii, type Bytes, isAt, joined, number, slice, u16 } from './bytes.ts';
import { keptExif } from './exif.ts';
import { keptIptc } from './iptc.ts';
import { understand } from './not-understood.ts';
import { keptXmp, type ParseXml } from './xmp.ts';

/** Beginnings of the segments that hold metadata. */
export const JPEG_HEADS = {
  exif: 'Exif\0\0',
  xmp: 'http://ns.adobe.com/xap/1.0/\0',
  photoshop: 'Photoshop 3.0\0',
} as const;

/** Beginning of the segments that continue a long XMP. */
export const MORE_XMP = 'http://ns.adobe.com/xmp/extension/\0';

const { exif: EXIF, xmp: XMP, photoshop: PHOTOSHOP } = JPEG_HEADS;

/** The most bytes of a segment besides its marker and length. */
const LONGEST = 0xffff - 2;

const [SOI, EOI, SOS, COM] = [0xd8, 0xd9, 0xda, 0xfe];

/** A JPEG that keeps of its metadata only what is published (ITU T.81, annex B). */
export function strippedJpeg(jpeg: Bytes, parse: ParseXml): Bytes[] {
  const first: Bytes[] = [];
  const rest: Bytes[] = [];
  const metadata: Record<string, Bytes[]> = { [EXIF]: [], [XMP]: [], [PHOTOSHOP]: [] };
  let at = 2;
  let hasScan = false;
  for (;;) {
    // Of one that was cut off, what is there is shown.
    if (hasScan && at >= jpeg.length) break;
    understand(jpeg[at] === 0xff, 'the JPEG has no marker where one is to be');
    while (jpeg[at + 1] === 0xff) at += 1;
    const [, marker = 0] = slice(jpeg, at, 2);
    // Data behind the picture, such as a video or other pictures, is left out.
    if (marker === EOI) {
      rest.push(slice(jpeg, at, 2));
      break;
    }
    const length = u16(jpeg, at + 2);
    understand(length >= 2, 'a segment of the JPEG has no length');
    const segment = slice(jpeg, at, 2 + length);
    const content = segment.subarray(4);
    at += segment.length;
    if (marker === SOS) {
      const end = endOfScan(jpeg, at);
      rest.push(segment, jpeg.subarray(at, end));
      at = end;
      hasScan = true;
    } else if ((marker >= 0xe0 && marker <= 0xef) || marker === COM) {
      const head = [EXIF, XMP, PHOTOSHOP].find((one) => isAt(content, 0, one));
      if (head !== undefined && marker === (head === PHOTOSHOP ? 0xed : 0xe1)) {
        metadata[head]?.push(content.subarray(head.length));
      } else if (
        marker === 0xe0 &&
        isAt(content, 0, 'JFIF\0') &&
        content.length >= 14 &&
        first.length === 0
      ) {
        // Without its thumbnail.
        first.push(segmentOf(marker, joined([content.subarray(0, 12), number(0, 2)])));
      } else if (marker === 0xe2 && isAt(content, 0, 'ICC_PROFILE\0')) {
        rest.push(segment);
      } else if (marker === 0xee && isAt(content, 0, 'Adobe') && content.length >= 12) {
        rest.push(segmentOf(marker, content.subarray(0, 12)));
      }
    } else {
      const isCoding =
        (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) || (marker >= 0xdb && marker <= 0xdf);
      understand(isCoding, 'the JPEG has an unknown segment');
      rest.push(segment);
    }
  }
  understand(hasScan, 'the JPEG has no picture');
  const [exif] = metadata[EXIF] ?? [];
  const [xmp] = metadata[XMP] ?? [];
  const resources = joined(metadata[PHOTOSHOP] ?? []);
  const kept = [
    ...written(0xe1, EXIF, exif && keptExif(exif)),
    ...written(0xed, PHOTOSHOP, keptIptc(resources)),
    ...written(0xe1, XMP, xmp && keptXmp(xmp, parse)),
  ];
  return [Uint8Array.of(0xff, SOI), ...first, ...kept, ...rest];
}

/** The offset of the next marker after the data of a scan. */
export function endOfScan(jpeg: Bytes, from: number): number {
  for (let at = jpeg.indexOf(0xff, from); at !== -1; at = jpeg.indexOf(0xff, at + 1)) {
    const next = jpeg[at + 1];
    const isData = next === 0 || next === 0xff || (next !== undefined && next >= 0xd0 && next <= 0xd7);
    if (!isData && next !== undefined) return at;
  }
  return jpeg.length;
}

function written(marker: number, head: string, content: Bytes | undefined): Bytes[] {
  if (content === undefined) return [];
  return [segmentOf(marker, joined([ascii(head), content]))];
}

function segmentOf(marker: number, content: Bytes): Bytes {
  understand(content.length <= LONGEST, 'what is kept does not fit into a segment');
  return joined([Uint8Array.of(0xff, marker), number(content.length + 2, 2), content]);
}
