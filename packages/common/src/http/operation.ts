import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifySchema,
  preParsingHookHandler,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Server } from './server.ts';

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

/** What a method of a path does: described by its schemas, and given all it needs when it was made. */
export interface Operation {
  readonly schema: FastifySchema;
  readonly handler: RouteHandlerMethod;
  /** The largest body, in bytes, where it differs from the service's. */
  readonly bodyLimit?: number;
  /** What the hooks of the server are told about the route, such as a query string that is not logged. */
  readonly config?: FastifyContextConfig;
  /** The handler is called with an invalid body too (`request.validationError`), to tell its own faults with those. */
  readonly attachValidation?: boolean;
}

/** What {@link operation} is made of. */
export interface OperationDefinition<Schema extends FastifySchema> {
  /** zod schemas of the request and of each response, and the operation's words in the OpenAPI description. */
  schema: Schema;
  handler: Handler<NoInfer<Schema>>;
  /** The largest body, in bytes, where it differs from the service's. */
  bodyLimit?: number;
  /** What the hooks of the server are told about the route, such as a query string that is not logged. */
  config?: FastifyContextConfig;
  /** See {@link Operation.attachValidation}. */
  attachValidation?: boolean;
}

/**
 * Makes an operation; the handler's request and reply have the types of the schemas. Where it is served and who may ask
 * for it stand in the service's `app.ts`.
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
  // A route that checks its own schema is safe to list among others: Fastify parses with that very schema.
  return { schema, handler: handler as unknown as RouteHandlerMethod, ...rest };
}

/** Who may ask for an operation. */
export interface Guard {
  /** Throws for those who may not, before the body is read; absent where nobody is refused here. */
  readonly check?: preParsingHookHandler;
  /** What the OpenAPI description requires; `{}` among them makes the others optional. */
  readonly security: Record<string, string[]>[];
}

/** One line of a service's table of routes: the method, the path, what answers, and who may ask. */
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
      schema: guard ? { ...schema, security: guard.security } : schema,
    });
  }
}
