/**
 * The bare server: `node:http` that sends one answer, header for header and byte for byte, to every request,
 * and 304 with the same headers, except those of the body, to a request with `If-None-Match`. `ANSWER` names
 * its JSON file.
 */
import { createServer } from 'node:http';
import { capturedAnswer } from './captured-answer.ts';

const { headers, body, unchanged } = capturedAnswer();
const sent = Buffer.from(body);

const server = createServer((request, response) => {
  if (request.headers['if-none-match'] !== undefined) {
    response.writeHead(304, unchanged).end();
    return;
  }
  response.writeHead(200, headers).end(sent);
});
server.listen(Number(process.env.PORT), '127.0.0.1');
