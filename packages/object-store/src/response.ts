import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { S3Error } from './errors.ts';
import { buildXml, type XmlElement } from './xml.ts';

/** What an operation answers. */
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
