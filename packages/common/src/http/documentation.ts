import swagger from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { replyConditionally } from '../caching/conditional.ts';
import {
  completeDescription,
  type DescribedDocument,
  OPTIONAL_BODY,
  OWN_HEADERS,
} from './complete-description.ts';
import type { RequestHeader } from './described-headers.ts';
import { addDocumentationPage } from './documentation-page.ts';
import type { Server } from './server.ts';

const TO_JSON = { zodToJsonConfig: { override: describeSchema } };
const schemasOfRoute = createJsonSchemaTransform(TO_JSON);
const schemasOfDocument = createJsonSchemaTransformObject(TO_JSON);

/** The service's general information in the OpenAPI description. */
export interface Description {
  title: string;
  version: string;
  description: string;
  /** The description of each tag of the routes, in display order. */
  tags?: Readonly<Record<string, string>>;
  /** Headers that every operation reads. */
  requestHeaders?: readonly RequestHeader[];
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
  { securitySchemes, tags = {}, requestHeaders = [], ...info }: Description,
  isCounted: boolean,
): Promise<void> {
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

/** A route as it is described. */
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
