import swagger from '@fastify/swagger';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { replyConditionally } from '../caching/conditional.ts';
import { addDocumentationPage } from './documentation-page.ts';
import type { Server } from './server.ts';

/** What the OpenAPI description says of the service as a whole. */
export interface Description {
  title: string;
  version: string;
  description: string;
  /** Ways to authenticate, by name (OpenAPI 3.1, "Security Scheme Object"). */
  securitySchemes?: Record<string, SecurityScheme>;
}

/** A way to authenticate: a credential in a header or a cookie, or a bearer token. */
export type SecurityScheme =
  | { type: 'apiKey'; name: string; in: 'header' | 'cookie'; description?: string }
  | { type: 'http'; scheme: 'bearer'; description?: string };

/**
 * Collects the routes that are added after it into an OpenAPI 3.1 description, made from the schemas that
 * validate, and serves it at `/openapi.json` and, for people, at `/docs`.
 */
export async function addDocumentation(app: Server, description: Description): Promise<void> {
  const { securitySchemes, ...info } = description;
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info, ...(securitySchemes && { components: { securitySchemes } }) },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  addDocumentationPage(app, description.title);
  serveDescription(app, '/openapi.json');
}

/** Serves the description at `path`; every service has it at `/openapi.json`. */
export function serveDescription(app: Server, path: string): void {
  app.get(path, { schema: { hide: true } }, (request, reply) =>
    replyConditionally(request, reply, {
      cacheControl: 'public, max-age=300',
      load: async () => app.swagger(),
    }),
  );
}
