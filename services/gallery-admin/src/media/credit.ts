import { asHtml } from '@pressroom/common/feeds/xml-text';
import type { Metadata } from 'sharp';

/** What the metadata of a picture say about it. */
export interface Credit {
  /** What it shows. */
  alt: string | null;
  /** The credit line, else the creator. */
  credit: string | null;
  rights: string | null;
}

/** The most bytes of a kind of metadata that are read, which is also what a segment of a JPEG can have. */
const MAX_BYTES = 65_000;

/** The longest text that is taken over, in characters. */
const MAX_TEXT = 2000;

const APP1 = 0xe1;
const APP13 = 0xed;
const XMP = Buffer.from('http://ns.adobe.com/xap/1.0/\0');

/**
 * Reads credit and rights from EXIF, IPTC and XMP, by the fields of the IPTC Photo Metadata Standard. The
 * library is given what libvips found, as segments of an empty JPEG: so it reads pictures of every format,
 * and never more than a few pages, however large the file is.
 */
export async function readCredit({ exif, iptc, xmp }: Metadata): Promise<Credit> {
  const segments = [
    segment(APP1, exif),
    segment(APP13, iptc),
    segment(APP1, xmp && Buffer.concat([XMP, xmp])),
  ];
  const jpeg = Buffer.concat([Buffer.of(0xff, 0xd8), ...segments, Buffer.of(0xff, 0xd9)]);
  // Loaded with the first picture, as sharp is.
  const { default: reader } = await import('exifreader');
  const { exif: e, iptc: i, xmp: x } = read(() => reader.load(jpeg, { expanded: true }));
  return {
    alt: text(x?.AltTextAccessibility, x?.description, i?.['Caption/Abstract'], e?.ImageDescription),
    credit: text(x?.Credit, i?.Credit, x?.creator, i?.['By-line'], e?.Artist),
    rights: text(x?.rights, i?.['Copyright Notice'], e?.Copyright),
  };
}

/** Credit and rights as XMP, which unlike EXIF has every script; undefined without any. */
export function asXmp({ credit, rights }: Credit): string | undefined {
  if (credit === null && rights === null) return undefined;
  const members = [
    credit && `<photoshop:Credit>${asHtml(credit)}</photoshop:Credit>`,
    rights &&
      `<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${asHtml(rights)}</rdf:li></rdf:Alt></dc:rights>`,
  ];
  return (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/">' +
    `${members.join('')}</rdf:Description></rdf:RDF></x:xmpmeta>`
  );
}

function segment(marker: number, data: Buffer | undefined): Buffer {
  if (data === undefined || data.length > MAX_BYTES) return Buffer.alloc(0);
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Metadata that cannot be read say nothing. */
function read<Tags extends object>(load: () => Tags): Partial<Tags> {
  try {
    return load();
  } catch {
    return {};
  }
}

/** The first text among tags, some of which may be repeated. */
function text(...tags: (Tag | Tag[] | undefined)[]): string | null {
  const texts = tags.map((tag) =>
    [tag ?? []]
      .flat()
      .map(({ description }) => description)
      .join(', ')
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
  );
  return texts.find((one) => one !== '')?.slice(0, MAX_TEXT) ?? null;
}

interface Tag {
  description: string;
}
