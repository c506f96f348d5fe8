/**
 * Fastify alone: one route that sends one answer, header for header and byte for byte, and 304 with the same
 * headers, except those of the body, to a request with `If-None-Match`; no log, no hook, no check. `ANSWER`
 * names its JSON file.
 */
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

/** An answer that was captured from the service. */
interface Answer {
  headers: Record<string, string>;
  body: string;
}

const { headers, body }: Answer = JSON.parse(readFileSync(process.env.ANSWER ?? '', 'utf8'));
const bytes = Buffer.from(body);
const unchanged = Object.fromEntries(
  Object.entries(headers).filter(([name]) => name !== 'content-type' && name !== 'content-length'),
);

const app = fastify();
app.get('/*', (request, reply) => {
  if (request.headers['if-none-match'] !== undefined) return reply.code(304).headers(unchanged).send();
  return reply.headers(headers).send(bytes);
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
