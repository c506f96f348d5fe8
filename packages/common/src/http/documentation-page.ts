import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNotModified, type Representation, represent } from '../caching/entity-tag.ts';
import type { Server } from './server.ts';

/**
 * The Content-Security-Policy of the page at `/docs`: only scripts, fonts and requests of this origin. Only
 * styles may be inline, because the reference writes its own.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CACHE_CONTROL = 'public, max-age=300';

/**
 * Settings of the reference: nothing is loaded from other hosts, and no other project appears on the page.
 */
const REFERENCE = {
  url: '/openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: true,
  documentDownloadType: 'direct',
  // No other project's name, picture or logo.
  customCss:
    'a[href*="scalar.com"], .client-libraries-icon, .ascii-art-animate { display: none !important; }',
};

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 2h6a4 4 0 0 1" +
  " 0 8H6v4H3zm3 3v2h3a1 1 0 0 0 0-2z'/%3E%3C/svg%3E";

/**
 * Serves the human-readable reference at `/docs`; it works without any other host.
 *
 * @param title the name of the service, shown on the page
 */
export function addDocumentationPage(app: Server, title: string): void {
  const page = represent(pageOf(title));
  const script = represent(`Scalar.createApiReference('#reference', ${JSON.stringify(REFERENCE)});\n`);
  const bundle = fileURLToPath(
    new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference')),
  );
  let etag: Promise<string> | undefined;

  const schema = { hide: true };
  for (const path of ['/docs', '/docs/']) {
    app.get(path, { schema }, (request, reply) =>
      send(request, reply.header('content-security-policy', PAGE_POLICY), page, 'text/html; charset=utf-8'),
    );
  }
  app.get('/docs/page.js', { schema }, (request, reply) =>
    send(request, reply, script, 'text/javascript; charset=utf-8'),
  );
  app.get('/docs/reference.js', { schema }, async (request, reply) => {
    // Megabytes that are rarely requested: read from disk each time and cached by the browser.
    etag ??= readFile(bundle, 'utf8').then((text) => represent(text).etag);
    const file = { etag: await etag, body: () => createReadStream(bundle) };
    return send(request, reply, file, 'text/javascript; charset=utf-8');
  });
}

/** Answers with an HTML page that loads nothing and changes only with the program. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, html: string): FastifyReply {
  return send(request, reply, represent(html), 'text/html; charset=utf-8');
}

function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { body, etag }: Pick<Representation, 'etag'> & { body: unknown },
  mediaType: string,
): FastifyReply {
  reply.headers({ etag, 'cache-control': CACHE_CONTROL });
  if (isNotModified(headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(mediaType).send(typeof body === 'function' ? body() : body);
}

function pageOf(title: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}: API reference</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="${ICON}">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The description itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script src="/docs/reference.js"></script>
    <script src="/docs/page.js"></script>
  </body>
</html>
`;
}
