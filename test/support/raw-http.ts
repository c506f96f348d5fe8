import { connect } from 'node:net';

/** An answer as it came over the socket. */
export interface RawAnswer {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends lines that no well-behaved client would send (each ended by CRLF, the head by an empty one) and reads what
 * comes until the server closes, so the lines should ask it to.
 */
export async function sendLines(url: string, lines: string[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(lines.map((line) => `${line}\r\n`).join(''), 'latin1');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n', 2);
  const [statusLine = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body };
}
