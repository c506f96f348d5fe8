import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser';

export interface S3Response {
  status: number;
  headers?: Record<string, string>;
  /** Text, or a stream of exactly `content-length` bytes, which `send` closes whatever happens. */
  body?: string | Readable;
}

/** An answer whose body is a document. */
export function xmlResponse(
  root: string,
  content: XmlElement,
  headers: Record<string, string> = {},
): S3Response {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', ...headers },
    body: buildXml(root, content),
  };
}

/** The answer that an error is, in the form that S3 clients read. */
export function errorResponse(error: S3Error, resource: string, requestId: string): S3Response {
  const content = { Code: error.code, Message: error.message, Resource: resource, RequestId: requestId };
  return {
    status: error.status,
    headers: { 'content-type': 'application/xml', ...error.headers },
    body: buildXml('Error', content, ''),
  };
}

/**
 * Sends an answer; to HEAD without its body.
 *
 * @throws when the client goes away before it has all of the body
 */
export async function send(outgoing: ServerResponse, method: string, response: S3Response): Promise<void> {
  const { body } = response;
  try {
    setHeaders(outgoing, response.headers ?? {});
    outgoing.statusCode = response.status;
    if (body instanceof Readable) {
      await pipeline(body, outgoing);
      return;
    }
  } finally {
    if (body instanceof Readable) body.destroy();
  }
  if (typeof body === 'string') outgoing.setHeader('content-length', Buffer.byteLength(body));
  else if (!outgoing.hasHeader('content-length') && allowsBody(response.status)) {
    outgoing.setHeader('content-length', 0);
  }
  outgoing.end(method === 'HEAD' ? undefined : body);
}

function setHeaders(outgoing: ServerResponse, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      outgoing.setHeader(name, value);
    } catch {
      throw new S3Error(
        'InvalidArgument',
        `The value of the header ${name} contains characters that are not allowed in headers.`,
      );
    }
  }
}

function allowsBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** The errors of the S3 API that this server gives: status and message as AWS documents them. */
const ERRORS = {
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The query-string authentication parameters are malformed.'],
  BadDigest: [400, 'The checksum that was sent does not match the bytes that were received.'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed object size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size.'],
  IncompleteBody: [400, 'The request body does not have the length that its headers announce.'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The access key id you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid argument.'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidDigest: [400, 'The Content-MD5 or checksum you specified is not valid.'],
  InvalidPart: [
    400,
    'One or more of the specified parts could not be found. The part may not have been uploaded, or its ETag may not match.',
  ],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order of part number.'],
  InvalidRange: [416, 'The requested range is not satisfiable.'],
  InvalidRequest: [400, 'Invalid request.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long: at most 1024 bytes in UTF-8.'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our schema.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed size of 2 KB.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchUpload: [
    404,
    'The specified multipart upload does not exist. The upload id may be invalid, or the upload may have been aborted or completed.',
  ],
  NotImplemented: [501, 'This object store does not implement that.'],
  PreconditionFailed: [412, 'At least one of the preconditions you specified did not hold.'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the server time is too large.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your secret access key and signing method.',
  ],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** A code of the S3 API's error responses. */
type S3ErrorCode = keyof typeof ERRORS;

/** An answer that is an error: thrown anywhere below the handler, which writes it as XML. */
export class S3Error extends Error {
  readonly code: S3ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** `message` says what to change if the code's own message does not. */
  constructor(code: S3ErrorCode, message?: string, headers: Record<string, string> = {}) {
    super(message ?? ERRORS[code][1]);
    this.name = 'S3Error';
    this.code = code;
    this.status = ERRORS[code][0];
    this.headers = headers;
  }
}

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
