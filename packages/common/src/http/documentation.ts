import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import swagger from '@fastify/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isNotModified, type Representation, replyConditionally, represent } from '../caching/conditional.ts';
import {
  completeDescription,
  type DescribedDocument,
  OPTIONAL_BODY,
  OWN_HEADERS,
  type RequestHeader,
} from './description.ts';
import type { Server } from './operation.ts';

const TO_JSON = { zodToJsonConfig: { override: describeSchema } };
const schemasOfRoute = createJsonSchemaTransform(TO_JSON);
const schemasOfDocument = createJsonSchemaTransformObject(TO_JSON);

/** The service's general information in the OpenAPI description. */
export interface Description {
  title: string;
  version: string;
  description: string;
  /** Markdown after `description` in the OpenAPI description: limits, validators, errors, guides. */
  introduction?: string;
  /** The description of each tag of the routes, in display order. */
  tags?: Readonly<Record<string, string>>;
  requestHeaders?: readonly RequestHeader[];
  /** An answer of each schema, by the schema's name; a test fetches them. */
  examples?: Readonly<Record<string, unknown>>;
  /** Ways to authenticate, by name (OpenAPI 3.1, "Security Scheme Object"). */
  securitySchemes?: Record<string, SecurityScheme>;
}

/** A way to authenticate: a credential in a header or a cookie, or a bearer token. */
type SecurityScheme =
  | { type: 'apiKey'; name: string; in: 'header' | 'cookie'; description?: string }
  | { type: 'http'; scheme: 'bearer'; description?: string };

/**
 * Collects the routes added after it into an OpenAPI 3.1 description, made from the validating schemas, and
 * serves it at `/openapi.json` and, for people, at `/docs`.
 *
 * @param isCounted whether the answers of the routes carry the headers of a rate limit
 */
export async function addDocumentation(
  app: Server,
  { securitySchemes, tags = {}, requestHeaders = [], examples = {}, introduction, ...general }: Description,
  isCounted: boolean,
): Promise<void> {
  const description = [general.description, introduction].filter(Boolean).join('\n\n');
  const info = { ...general, description };
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info, ...(securitySchemes && { components: { securitySchemes } }) },
    transform: (route) => {
      const { requestHeaders: request = [], responseHeaders: response = {}, ...schema } = route.schema ?? {};
      const described = nameRest(schemasOfRoute({ ...route, schema }));
      const { body } = schema;
      const isOptional = body instanceof z.ZodType && body.safeParse(undefined).success;
      const own = { [OWN_HEADERS]: { request, response }, ...(isOptional && { [OPTIONAL_BODY]: true }) };
      return { ...described, schema: { ...described.schema, ...own } };
    },
    transformObject: (document) =>
      // `openapi-types` makes nearly every member optional; the routes above decide which exist.
      completeDescription(schemasOfDocument(document) as unknown as DescribedDocument, {
        tags,
        requestHeaders,
        examples,
        isCounted,
      }) as ReturnType<typeof schemasOfDocument>,
  });
  addDocumentationPage(app, info.title);
  serveDescription(app, '/openapi.json');
}

/** Serves the description at `path`; every service has it at `/openapi.json`. */
export function serveDescription(app: Server, path: string): void {
  app.get(path, { schema: { hide: true } }, (request, reply) =>
    replyConditionally(request, reply, {
      cacheControl: 'public, max-age=300',
      load: async () => ({ value: app.swagger() }),
    }),
  );
}

type DescribedRoute = ReturnType<typeof schemasOfRoute>;

/** The rest of a path, which Fastify names `*`, is `key`: OpenAPI has no name for it that linters accept. */
function nameRest({ url, schema }: DescribedRoute): DescribedRoute {
  const params = schema.params as { properties: Record<string, unknown> } | undefined;
  const rest = params?.properties['*'];
  if (!url.endsWith('/*') || rest === undefined) return { url, schema };
  const named = { ...params, properties: { key: rest }, required: ['key'] };
  return { url: url.replace(/\*$/, ':key'), schema: { ...schema, params: named } };
}

/** zod's JSON Schema of a part of a schema, adjusted here. */
type Context = Parameters<NonNullable<z.core.JSONSchemaGeneratorParams['override']>>[0];

/** Formats that make zod's regular expression for them redundant. */
const TIME_FORMATS = new Set(['date', 'date-time', 'time']);

/**
 * Makes the JSON Schema derived by zod suitable for readers and client generators: a number in a query string
 * is an integer with its default, and bounds and expressions that only zod adds are left out. Validation at
 * run time does not change.
 */
function describeSchema({ zodSchema, jsonSchema }: Context): void {
  const { def } = zodSchema._zod;
  if (def.type === 'default') describeDefault(def.defaultValue, jsonSchema);
  // Of one that must be known to be absent, in its `meta`.
  if (def.type === 'optional') describeDefault(z.globalRegistry.get(zodSchema)?.default, jsonSchema);
  if (jsonSchema.type === 'integer') {
    // The digits of a number on the wire (see `integerParameter`).
    delete jsonSchema.pattern;
    describeBounds(jsonSchema);
  }
  if (TIME_FORMATS.has(String(jsonSchema.format))) delete jsonSchema.pattern;
}

/** zod omits the default of a transformed value; it is useful if it has the form that a client sends. */
function describeDefault(value: unknown, jsonSchema: Context['jsonSchema']): void {
  const type = typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
  if (jsonSchema.type === type) jsonSchema.default = value;
}

/** A count in an answer has the bounds of JavaScript's safe integers, which no author wrote. */
function describeBounds(jsonSchema: Context['jsonSchema']): void {
  if (jsonSchema.minimum !== Number.MIN_SAFE_INTEGER) {
    // `positive()`, next to the bounds of an id.
    if (jsonSchema.minimum !== undefined) delete jsonSchema.exclusiveMinimum;
    return;
  }
  delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

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
function addDocumentationPage(app: Server, title: string): void {
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
function sendPage(request: FastifyRequest, reply: FastifyReply, html: string): FastifyReply {
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

/** Parts of a service's front page besides its title and description. */
export interface FrontPage {
  /** Paths that lead to something to read at once. */
  readonly examples: readonly string[];
  /** Addresses, as routes, of pages that another site should have; here they say so. */
  readonly elsewhere?: { readonly routes: readonly string[]; readonly reason: string };
}

/** Serves a short page at `/` that says what this is and where the documentation is. */
export function addFrontPage(
  app: Server,
  { title, description }: Pick<Description, 'title' | 'description'>,
  { examples, elsewhere }: FrontPage,
): void {
  const schema = { hide: true };
  const page = (paragraphs: readonly string[]) => {
    const links = ['/docs', '/openapi.json', ...examples].map(
      (path) => `<li><a href="${path}">${path}</a></li>`,
    );
    return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
  </head>
  <body>
    <h1>${title}</h1>
    ${paragraphs.map((text) => `<p>${text}</p>`).join('\n    ')}
    <ul>
      ${links.join('\n      ')}
    </ul>
  </body>
</html>
`;
  };
  const front = page([description]);
  app.get('/', { schema }, (request, reply) => sendPage(request, reply, front));
  if (elsewhere === undefined) return;
  const other = page([elsewhere.reason, description]);
  for (const route of elsewhere.routes) {
    app.get(route, { schema }, (request, reply) => sendPage(request, reply, other));
  }
}
