import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  FastifySchema,
  preParsingHookHandler,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';

/** A handler whose request and reply are typed by the zod schemas of its operation. */
type Handler<Schema extends FastifySchema> = RouteHandlerMethod<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  RouteGenericInterface,
  ContextConfigDefault,
  Schema,
  ZodTypeProvider,
  FastifyBaseLogger
>;

/** A method of a path, with its schemas and dependencies. */
export interface Operation {
  readonly schema: FastifySchema;
  readonly handler: RouteHandlerMethod;
  /** The largest body, in bytes, if it differs from the service's. */
  readonly bodyLimit?: number;
  /** Information for the server's hooks, such as that the query string is not logged. */
  readonly config?: FastifyContextConfig;
  /**
   * The handler is called even with an invalid body (`request.validationError`), to report its own errors
   * with the others.
   */
  readonly attachValidation?: boolean;
}

/** Options of {@link operation}. */
interface OperationDefinition<Schema extends FastifySchema> {
  /**
   * zod schemas of the request and of each response, and the operation's texts in the OpenAPI description.
   */
  schema: Schema;
  handler: Handler<NoInfer<Schema>>;
  /** The largest body, in bytes, if it differs from the service's. */
  bodyLimit?: number;
  /** Information for the server's hooks, such as that the query string is not logged. */
  config?: FastifyContextConfig;
  /** See {@link Operation.attachValidation}. */
  attachValidation?: boolean;
}

/**
 * Makes an operation; the handler's request and reply have the types of the schemas. The service's `app.ts`
 * defines where it is served and who may call it.
 *
 * @example
 * const read = operation({
 *   schema: { params: articlePath, response: { 200: articleAnswer } },
 *   handler: async ({ params }) => store.read(params.id),
 * });
 */
export function operation<const Schema extends FastifySchema>({
  schema,
  handler,
  ...rest
}: OperationDefinition<Schema>): Operation {
  // Safe to list routes with different schemas: Fastify parses each with its own schema.
  return { schema, handler: handler as unknown as RouteHandlerMethod, ...rest };
}

export interface Guard {
  /** Throws for callers who may not, before the body is read; absent if it is open to all. */
  readonly check?: preParsingHookHandler;
  /** Throws if the caller may not any longer, once the body of a change is there: it may take its time. */
  readonly recheck?: (request: FastifyRequest) => Promise<void>;
  /** The security requirements in the OpenAPI description; an added `{}` makes them optional. */
  readonly security: Record<string, string[]>[];
}

/** One line of a service's table of routes: the method, the path, the operation, and its guard. */
export type RouteLine = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  operation: Operation,
  guard?: Guard,
];

/** Adds the routes of a table to a server. */
export function addRoutes(app: Server, table: readonly RouteLine[]): void {
  for (const [method, url, { schema, ...rest }, guard] of table) {
    app.route({
      method,
      url,
      ...rest,
      ...(guard?.check && { preParsing: guard.check }),
      ...(guard?.recheck && method !== 'GET' && { preHandler: guard.recheck }),
      schema: guard ? { ...schema, security: guard.security } : schema,
    });
  }
}

/** A response without a body, for the OpenAPI description. */
export function bodiless(description: string) {
  return z.null().describe(description);
}

/**
 * The 304 of a conditional read, for the OpenAPI description: an operation that declares it sends an `ETag`
 * and reads `If-None-Match`, which the description then includes.
 */
export const NOT_MODIFIED = {
  304: bodiless('Not modified: `If-None-Match` names the current representation.'),
} as const;

/** A Fastify instance whose routes are described by zod schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/**
 * An API key in its written form (`docs/spec/wire.md`, "Content"), whole or cut off, or percent-encoded in
 * part.
 */
const API_KEY = /(?:p|%70)(?:k|%6[bB])(?:_|%5[fF])[\w%-]*/g;

/** The text as it is logged: the API keys that a client put into it are hidden. */
export function withoutApiKeys(text: string): string {
  // Nearly every text: it cannot contain any part of a key.
  if (!text.includes('pk_') && !text.includes('%')) return text;
  return text.replace(API_KEY, 'pk_(hidden)');
}
