import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Asked {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** An answer with its raw header lines. */
export interface Answered {
  status: number;
  phrase: string;
  /** Names and values, in the order and case in which they were received. */
  headers: [name: string, value: string][];
  body: Buffer;
}

/** Sends one request on a new connection and reads the complete answer. Throws if there is none. */
export async function exchange(url: string, { method, path, headers = {}, body }: Asked): Promise<Answered> {
  const sent = request(`${url}${path}`, { method, headers, agent: false });
  // The path is sent as written, without the normalization of `URL`.
  sent.path = path;
  sent.end(body);
  const [response] = await once(sent, 'response');
  // A server that has answered need not read the rest of the request.
  sent.on('error', () => undefined);
  const { statusCode, statusMessage, rawHeaders } = response;
  const lines: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push([rawHeaders[index], rawHeaders[index + 1]]);
  }
  return { status: statusCode, phrase: statusMessage, headers: lines, body: await buffer(response) };
}

/** The first value of a header of an answer; undefined if it is missing. */
export function headerOf({ headers }: Answered, name: string): string | undefined {
  return headers.find(([header]) => header.toLowerCase() === name)?.[1];
}
