import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { headerLines } from './header-lines.ts';

/** A response of {@link responsesWith}. */
export interface PreparedResponse extends ServerResponse {
  /**
   * Writes a head that nothing has been set of: the constant headers, `lines` as they are, of which nothing
   * may come from a request, and a list of others, names and values in turn. Node would check and copy each
   * of the former for each answer.
   */
  writePrepared(status: number, lines: string, others: string[]): this;
}

/** Node's last step of writing a head, which its types leave out. */
interface HeadWriter extends ServerResponse {
  _storeHeader(statusLine: string, headers: unknown): void;
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
  const constantLines = headerLines(entries.flat());
  const Response = ServerResponse as unknown as new (request: IncomingMessage) => HeadWriter;
  class WithConstantHeaders extends Response {
    #lines = '';

    override writeHead(status: number, ...head: Head): this {
      const [headers] = head;
      prepare?.(this, status);
      if (status === 304) describeNoBody(this, headers);
      for (const [name, value] of entries) if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead(status, ...(head as [Headers?]));
    }

    writePrepared(status: number, lines: string, others: string[]): this {
      prepare?.(this, status);
      this.#lines = constantLines + lines;
      return super.writeHead(status, others);
    }

    // Not documented, but the only place where lines can be added that Node need not check again.
    override _storeHeader(statusLine: string, headers: unknown): void {
      super._storeHeader(statusLine + this.#lines, headers);
    }
  }
  return WithConstantHeaders as unknown as typeof ServerResponse;
}

/** A 304 has no body to describe (RFC 9110, section 15.4.5). */
function describeNoBody(response: ServerResponse, headers: Head[number]): void {
  response.removeHeader('content-type');
  if (isObject(headers) && headers['content-type'] !== undefined) delete headers['content-type'];
}

function isObject(headers: Head[number]): headers is OutgoingHttpHeaders {
  return typeof headers === 'object' && !Array.isArray(headers);
}
