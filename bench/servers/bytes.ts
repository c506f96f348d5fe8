/**
 * The bare server: `node:http` that sends one answer, header for header and byte for byte, to every request,
 * and 304 with the same headers, except those of the body, to a request with `If-None-Match`. `ANSWER` names
 * its JSON file; with `AS=text`, the body is sent as text.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** An answer that was captured from the service. */
interface Answer {
  headers: Record<string, string>;
  body: string;
}

const { headers, body }: Answer = JSON.parse(readFileSync(process.env.ANSWER ?? '', 'utf8'));
const sent = process.env.AS === 'text' ? body : Buffer.from(body);
const unchanged = Object.fromEntries(
  Object.entries(headers).filter(([name]) => name !== 'content-type' && name !== 'content-length'),
);

const server = createServer((request, response) => {
  if (request.headers['if-none-match'] !== undefined) {
    response.writeHead(304, unchanged).end();
    return;
  }
  response.writeHead(200, headers).end(sent);
});
server.listen(Number(process.env.PORT), '127.0.0.1');
