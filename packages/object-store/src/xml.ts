import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser';
import { S3Error } from './errors.ts';

/**
 * The content of an element of an answer: text, further elements, or a list of either (repeated elements).
 */
type XmlValue = string | number | boolean | undefined | XmlElement | XmlValue[];

/** Elements by name. A member that is undefined is left out. */
export interface XmlElement {
  [name: string]: XmlValue;
}

/** Elements of a request, by name; each is a list, however often it occurs. */
export type ParsedElement = { [name: string]: (ParsedElement | string)[] | undefined };

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

// Nearly all of a listing is of these, and is let through at once.
const PLAIN = /^[ !#-%(-;=?-~]*$/;

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A document with one root element, in the namespace of S3 unless it is an error. */
export function buildXml(
  root: string,
  content: XmlElement,
  namespace: string | undefined = NAMESPACE,
): string {
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    processEntities: false,
    tagValueProcessor: (_name, value) => escapeText(String(value)),
  });
  const attributes = namespace ? { '@_xmlns': namespace } : {};
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: { ...attributes, ...content } })}`;
}

/**
 * Reads a document whose root element is `root`. Text is kept as it was written, spaces included.
 *
 * @throws S3Error MalformedXML
 */
export function parseXml(text: string, root: string): ParsedElement {
  // A document type could define entities; S3 has no use for one.
  if (text.includes('<!DOCTYPE') || XMLValidator.validate(text) !== true) throw new S3Error('MalformedXML');
  const parser = new XMLParser({
    parseTagValue: false,
    trimValues: false,
    processEntities: false,
    removeNSPrefix: true,
    isArray: () => true,
    tagValueProcessor: (_name, value) => unescapeText(value),
  });
  const element = (parser.parse(text) as ParsedElement)[root]?.[0];
  if (element === undefined) throw new S3Error('MalformedXML', `The document must be a <${root}>.`);
  return typeof element === 'string' ? {} : element;
}

/** The text of the first element of that name, or undefined when there is none. */
export function textOf(element: ParsedElement, name: string): string | undefined {
  const value = element[name]?.[0];
  return typeof value === 'string' ? value : undefined;
}

/** The texts of all elements of that name. */
export function textsOf(element: ParsedElement, name: string): string[] {
  return (element[name] ?? []).filter((value) => typeof value === 'string');
}

/** All elements of that name. */
export function elementsOf(element: ParsedElement, name: string): ParsedElement[] {
  return (element[name] ?? []).map((value) => (typeof value === 'string' ? {} : value));
}

function escapeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(/[&<>"']|\p{Cc}/gu, (character) => {
    const name = Object.keys(ENTITIES).find((entity) => ENTITIES[entity] === character);
    return name ? `&${name};` : `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`;
  });
}

function unescapeText(text: string): string {
  return text.replace(/&([^;]*);?/g, (_match, entity: string) => {
    const number = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(entity);
    const character = number ? fromCodePoint(number[1], number[2]) : ENTITIES[entity];
    if (character === undefined) throw new S3Error('MalformedXML', `The entity &${entity}; is not defined.`);
    return character;
  });
}

function fromCodePoint(hexadecimal: string | undefined, decimal: string | undefined): string | undefined {
  const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
