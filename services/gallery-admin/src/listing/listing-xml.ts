import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';

/** What is read of the answer to a ListObjectsV2, named as the SDK names it. */
export type Listing = Pick<
  ListObjectsV2CommandOutput,
  'CommonPrefixes' | 'Contents' | 'EncodingType' | 'IsTruncated' | 'NextContinuationToken'
>;

type StorageClass = NonNullable<Listing['Contents']>[number]['StorageClass'];

const BEGIN = /^\s*(?:<\?xml[^>]*>\s*)?<ListBucketResult[\s>]/;
const END = /<\/ListBucketResult>\s*$/;

/** What stores do not write in a listing: attributes, comments, CDATA, and references to no character. */
const UNUSUAL = /<(?!ListBucketResult)[\w.-]+\s|<!|&(?!(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\dA-Fa-f]{1,5});)/;

const OBJECT = /<Contents>(.*?)<\/Contents>/gs;
const PREFIX = /<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs;

const REFERENCE = /&(?:#x([\dA-Fa-f]+)|#(\d+)|(\w+));/g;
const ENTITIES: Partial<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads the answer to a ListObjectsV2 as stores write it: texts, objects and prefixes, of which no element
 * has an attribute. The SDK reads any XML by a description of it, and takes many times as long for a thousand
 * objects. Undefined for what is not written so, which is left to the SDK.
 */
export function readListing(xml: string): Listing | undefined {
  if (!BEGIN.test(xml) || !END.test(xml.slice(-100)) || UNUSUAL.test(xml)) return undefined;
  return {
    Contents: Array.from(xml.matchAll(OBJECT), ([, object = '']) => readObject(object)),
    CommonPrefixes: Array.from(xml.matchAll(PREFIX), ([, prefix = '']) => ({
      Prefix: textOf(prefix, 'Prefix'),
    })),
    EncodingType: textOf(xml, 'EncodingType') as Listing['EncodingType'],
    IsTruncated: textOf(xml, 'IsTruncated') === 'true',
    NextContinuationToken: textOf(xml, 'NextContinuationToken'),
  };
}

function readObject(object: string) {
  const [size, time] = [textOf(object, 'Size'), textOf(object, 'LastModified')];
  return {
    Key: textOf(object, 'Key'),
    Size: size === undefined ? undefined : Number(size),
    ETag: textOf(object, 'ETag'),
    LastModified: time === undefined ? undefined : new Date(time),
    StorageClass: textOf(object, 'StorageClass') as StorageClass,
  };
}

/** The text of the first element of that name; undefined if there is none. */
function textOf(xml: string, name: string): string | undefined {
  const tag = `<${name}>`;
  const begin = xml.indexOf(tag);
  if (begin === -1) return undefined;
  const text = xml.slice(begin + tag.length, xml.indexOf('<', begin + tag.length));
  return text.includes('&') ? text.replace(REFERENCE, character) : text;
}

/** The character that a reference of XML stands for. */
function character(_reference: string, hexadecimal?: string, decimal?: string, name = ''): string {
  if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
  return decimal === undefined ? (ENTITIES[name] ?? '') : String.fromCodePoint(Number(decimal));
}
