import { connect } from 'node:net';

/** An answer as its bytes say. */
export interface RawAnswer {
  status: number;
  /** Headers by lower-case name. */
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends `text` as it is (each character a byte) to the port of `url` and returns all that comes back until
 * the server ends the connection.
 */
export function exchange(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
    let received = '';
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', (error) => (received === '' ? reject(error) : undefined));
    socket.write(text, 'latin1');
  });
}

/** Takes apart an answer that has a `Content-Length`; what follows it is left over. */
export function parseAnswer(text: string): { answer: RawAnswer; rest: string } {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = Number(headers['content-length'] ?? 0);
  const body = text.slice(end + 4, end + 4 + length);
  return {
    answer: { status: Number(statusLine.split(' ')[1]), headers, body },
    rest: text.slice(end + 4 + length),
  };
}

/**
 * Sends lines that no well-behaved client would send (each ended by CRLF, the head by an empty one) and reads
 * what comes until the server closes, so the lines should ask it to.
 */
export async function sendLines(url: string, lines: string[]): Promise<RawAnswer> {
  return parseAnswer(await exchange(url, lines.map((line) => `${line}\r\n`).join(''))).answer;
}
