import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';

/** A response of {@link responsesWith}. */
export interface PreparedResponse extends ServerResponse {
  /**
   * Writes a head that nothing has been set of, with the constant headers and two lists of others, names and
   * values in turn: an object would be copied, and set one by one, for each answer.
   */
  writeList(status: number, ...lists: [readonly string[], readonly string[]]): this;
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** The arguments of `writeHead` after the status: a reason, headers, both or neither. */
type Head = [headers?: Headers] | [reason?: string, headers?: Headers];

/**
 * Makes the class of a server's responses (`http.createServer`, "ServerResponse"): each sends the headers
 * `constant`, with lower-case names, unless it sets them itself. No 304 describes a body
 * (`docs/spec/wire.md`, "All three services").
 *
 * @param prepare called before the head of each response is written
 */
export function responsesWith(
  constant: Readonly<Record<string, string>>,
  prepare?: (response: ServerResponse, status: number) => void,
): typeof ServerResponse {
  const entries = Object.entries(constant);
  const list = entries.flat();
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, ...head: Head): this {
      const [headers] = head;
      prepare?.(this, status);
      if (status === 304) describeNoBody(this, headers);
      for (const [name, value] of entries) if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead(status, ...(head as [Headers?]));
    }

    writeList(status: number, shared: readonly string[], own: readonly string[]): this {
      prepare?.(this, status);
      return super.writeHead(status, [...list, ...shared, ...own]);
    }
  };
}

/** A 304 has no body to describe (RFC 9110, section 15.4.5). */
function describeNoBody(response: ServerResponse, headers: Head[number]): void {
  response.removeHeader('content-type');
  if (isObject(headers) && headers['content-type'] !== undefined) delete headers['content-type'];
}

function isObject(headers: Head[number]): headers is OutgoingHttpHeaders {
  return typeof headers === 'object' && !Array.isArray(headers);
}
