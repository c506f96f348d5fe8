/**
 * Fastify alone: one route that sends one answer, header for header and byte for byte, and 304 with the same
 * headers, except those of the body, to a request with `If-None-Match`; no log, no hook, no check. `ANSWER`
 * names its JSON file.
 */
import { fastify } from 'fastify';
import { capturedAnswer } from './captured-answer.ts';

const { headers, body, unchanged } = capturedAnswer();
const bytes = Buffer.from(body);

const app = fastify();
app.get('/*', (request, reply) => {
  if (request.headers['if-none-match'] !== undefined) return reply.code(304).headers(unchanged).send();
  return reply.headers(headers).send(bytes);
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
