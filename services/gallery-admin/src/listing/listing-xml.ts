import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';

/** What is read of the answer to a ListObjectsV2, named as the SDK names it. */
export type Listing = Pick<
  ListObjectsV2CommandOutput,
  'CommonPrefixes' | 'Contents' | 'EncodingType' | 'IsTruncated' | 'NextContinuationToken'
>;

type Contents = NonNullable<Listing['Contents']>[number];

const BEGIN = /^\s*(?:<\?xml[^>]*>\s*)?<ListBucketResult(?:\s[^>]*)?>/;
const END = /<\/ListBucketResult>\s*$/;

/** What stores do not write in a listing: attributes, comments, CDATA, and references to no character. */
const UNUSUAL = /<(?!ListBucketResult)[\w.-]+\s|<!|&(?!(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\dA-Fa-f]{1,5});)/;

const REFERENCE = /&(?:#x([\dA-Fa-f]+)|#(\d+)|(\w+));/g;
const ENTITIES: Partial<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads the answer to a ListObjectsV2 as stores write it, in one pass: texts, objects and prefixes, of which
 * no element has an attribute. The SDK reads any XML by a description of it, and takes many times as long for
 * a thousand objects. Undefined for what is not written so, which is left to the SDK.
 */
export function readListing(xml: string): Listing | undefined {
  const [begin] = BEGIN.exec(xml) ?? [];
  if (begin === undefined || !END.test(xml.slice(-100)) || UNUSUAL.test(xml)) return undefined;
  const elements = new Elements(xml, begin.length);
  const texts = new Map<string, string>();
  const [objects, prefixes]: [Contents[], { Prefix: string | undefined }[]] = [[], []];
  while (elements.next()) {
    if (elements.name === 'Contents') objects.push(readObject(elements));
    else if (elements.name === 'CommonPrefixes') prefixes.push(readPrefix(elements));
    else texts.set(elements.name, elements.text());
  }
  if (elements.name !== '/ListBucketResult') return undefined;
  return {
    Contents: objects,
    CommonPrefixes: prefixes,
    EncodingType: texts.get('EncodingType') as Listing['EncodingType'],
    IsTruncated: texts.get('IsTruncated') === 'true',
    NextContinuationToken: texts.get('NextContinuationToken'),
  };
}

function readObject(elements: Elements): Contents {
  // All objects have the same members, as the engine is quicker with them.
  const object: Contents = {
    Key: undefined,
    Size: undefined,
    ETag: undefined,
    LastModified: undefined,
    StorageClass: undefined,
  };
  while (elements.next()) {
    const { name } = elements;
    const text = elements.text();
    if (name === 'Key') object.Key = text;
    else if (name === 'LastModified') object.LastModified = new Date(text);
    else if (name === 'ETag') object.ETag = text;
    else if (name === 'Size') object.Size = Number(text);
    else if (name === 'StorageClass') object.StorageClass = text as Contents['StorageClass'];
  }
  return object;
}

function readPrefix(elements: Elements): { Prefix: string | undefined } {
  let Prefix: string | undefined;
  while (elements.next()) Prefix = elements.text();
  return { Prefix };
}

/** Goes from element to element. */
class Elements {
  readonly #xml: string;
  #at: number;
  /** The name of the element that {@link next} has found. */
  name = '';

  constructor(xml: string, at: number) {
    this.#xml = xml;
    this.#at = at;
  }

  /** Enters the next element. False, after leaving the one that it is in, if there is none. */
  next(): boolean {
    do {
      const open = this.#xml.indexOf('<', this.#at);
      if (open === -1) return false;
      const close = this.#xml.indexOf('>', open);
      this.name = this.#xml.slice(open + 1, close);
      this.#at = close + 1;
    } while (this.name.endsWith('/'));
    return !this.name.startsWith('/');
  }

  /** The text that the element begins with, which ends it: other elements in it are passed over. */
  text(): string {
    const begin = this.#at;
    const end = this.#xml.indexOf('<', begin);
    const isEnd = this.#xml[end + 1] === '/';
    const left = isEnd ? end : this.#xml.indexOf(`</${this.name}>`, end);
    this.#at = left === -1 ? this.#xml.length : left + this.name.length + '</>'.length;
    const text = this.#xml.slice(begin, end);
    if (!text.includes('&')) return text;
    // Most entity tags have quotes that are written so.
    const unquoted = text.replaceAll('&quot;', '"');
    return unquoted.includes('&') ? text.replace(REFERENCE, character) : unquoted;
  }
}

/** The character that a reference of XML stands for. */
function character(_reference: string, hexadecimal?: string, decimal?: string, name = ''): string {
  if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
  return decimal === undefined ? (ENTITIES[name] ?? '') : String.fromCodePoint(Number(decimal));
}
