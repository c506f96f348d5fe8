import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** The arguments of `writeHead` after the status: a reason, headers, both or neither. */
type Head = [headers?: Headers] | [reason?: string, headers?: Headers];

/**
 * Makes the class of a server's responses (`http.createServer`, "ServerResponse"): each sends the headers
 * `constant`, with lower-case names, unless it sets them itself. They are known before any request, so they
 * are passed to Node as the list that it writes; set one by one, through Fastify's object, they took a
 * twentieth of the time of a cached answer. No 304 describes a body (`docs/spec/wire.md`, "All three
 * services").
 *
 * @param prepare called before the head of each response is written
 */
export function responsesWith(
  constant: Readonly<Record<string, string>>,
  prepare?: (response: ServerResponse, status: number) => void,
): typeof ServerResponse {
  const entries = Object.entries(constant);
  const list = entries.flat();
  const names = new Set(Object.keys(constant));

  /** All headers as one list; undefined if `headers` contains one of the constant ones. */
  const listed = (headers: OutgoingHttpHeaders): OutgoingHttpHeader[] | undefined => {
    const all: unknown[] = list.slice();
    for (const name in headers) {
      if (names.has(name)) return;
      all.push(name, headers[name]);
    }
    return all as OutgoingHttpHeader[];
  };

  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, ...head: Head): this {
      const [headers] = head;
      prepare?.(this, status);
      if (status === 304) describeNoBody(this, headers);
      // As Fastify writes them; those of a stream are set one by one.
      const all = isObject(headers) && this.getHeaderNames().length === 0 ? listed(headers) : undefined;
      if (all !== undefined) return super.writeHead(status, all);
      for (const [name, value] of entries) if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead(status, ...(head as [Headers?]));
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
