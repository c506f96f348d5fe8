import type { Bytes } from './bytes.ts';
import { NotUnderstood, understand } from './not-understood.ts';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XML = 'http://www.w3.org/XML/1998/namespace';

/** Properties of XMP that a picture keeps, by namespace, with the prefix under which they are written. */
const KEPT: Readonly<Record<string, readonly [prefix: string, properties: readonly string[]]>> = {
  'http://purl.org/dc/elements/1.1/': ['dc', ['creator', 'rights', 'title', 'description']],
  'http://ns.adobe.com/photoshop/1.0/': ['photoshop', ['AuthorsPosition', 'Credit', 'Headline', 'Source']],
  'http://ns.adobe.com/xap/1.0/rights/': ['xmpRights', ['Marked', 'Owner', 'UsageTerms', 'WebStatement']],
  'http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/': [
    'Iptc4xmpCore',
    ['AltTextAccessibility', 'ExtDescrAccessibility'],
  ],
};

/** Properties that say a place, in any namespace, as XML has their names; drones write `Gps`. */
const PLACE =
  /[:<]([Gg][Pp][Ss]\w+|Location(Created|Shown|Code)?|City|State|Country(Name|Code)?|Sublocation)(?=[\s=>/])/;

/** An element of an XML document, as DOM has it. */
interface XmlElement {
  readonly namespaceURI: string | null;
  readonly localName: string;
  readonly textContent: string | null;
  readonly children: ArrayLike<XmlElement>;
  readonly attributes: ArrayLike<{ namespaceURI: string | null; localName: string; value: string }>;
  getAttributeNS(namespace: string, name: string): string | null;
}

/** Reads an XML document: a browser's `DOMParser`. */
export type ParseXml = (xml: string) => {
  getElementsByTagName(name: string): ArrayLike<unknown>;
  getElementsByTagNameNS(namespace: string, name: string): ArrayLike<XmlElement>;
};

/** True if XMP names a place, as far as its text tells. */
export function mentionsPlace(xmp: Bytes): boolean {
  // Of UTF-16, every other byte is zero.
  return PLACE.test(new TextDecoder().decode(xmp).replaceAll('\0', ''));
}

/** XMP, written anew with what a picture keeps of it. Undefined if nothing is left. */
export function keptXmp(xmp: Bytes, parse: ParseXml): Bytes | undefined {
  const kept: string[] = [];
  for (const description of descriptionsOf(read(xmp), parse)) {
    for (const { namespaceURI, localName, value } of Array.from(description.attributes)) {
      const name = keptName(namespaceURI, localName);
      if (name !== undefined) kept.push(`<${name}>${escaped(value)}</${name}>`);
    }
    for (const property of Array.from(description.children)) {
      const name = keptName(property.namespaceURI, property.localName);
      if (name !== undefined) kept.push(`<${name}>${writtenValue(property)}</${name}>`);
    }
  }
  if (kept.length === 0) return undefined;
  const names = Object.entries(KEPT).map(([namespace, [prefix]]) => `xmlns:${prefix}="${namespace}"`);
  const packet =
    `<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">` +
    `<rdf:RDF xmlns:rdf="${RDF}"><rdf:Description rdf:about="" ${names.join(' ')}>${kept.join('')}` +
    `</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>`;
  return new TextEncoder().encode(packet);
}

function read(xmp: Bytes): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(xmp);
    // Programs pad it with spaces or zeros.
    return text.slice(Math.max(0, text.indexOf('<')), text.lastIndexOf('>') + 1);
  } catch {
    throw new NotUnderstood('XMP is not UTF-8');
  }
}

function descriptionsOf(text: string, parse: ParseXml): XmlElement[] {
  understand(!text.includes('<!'), 'XMP has declarations');
  let document: ReturnType<ParseXml>;
  try {
    document = parse(text);
  } catch {
    throw new NotUnderstood('XMP is not XML');
  }
  understand(document.getElementsByTagName('parsererror').length === 0, 'XMP is not XML');
  return Array.from(document.getElementsByTagNameNS(RDF, 'RDF')).flatMap(({ children }) =>
    Array.from(children),
  );
}

function keptName(namespace: string | null, name: string): string | undefined {
  const [prefix, properties] = KEPT[namespace ?? ''] ?? [];
  return properties?.includes(name) ? `${prefix}:${name}` : undefined;
}

/** A text, or a list of texts that may say their language. */
function writtenValue(property: XmlElement): string {
  const [list] = Array.from(property.children);
  if (list?.namespaceURI !== RDF || !['Alt', 'Bag', 'Seq'].includes(list.localName)) {
    return escaped(property.textContent ?? '');
  }
  const items = Array.from(list.children).map((item) => {
    const language = item.getAttributeNS(XML, 'lang');
    const attribute = language === null ? '' : ` xml:lang="${escaped(language)}"`;
    return `<rdf:li${attribute}>${escaped(item.textContent ?? '')}</rdf:li>`;
  });
  return `<rdf:${list.localName}>${items.join('')}</rdf:${list.localName}>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
