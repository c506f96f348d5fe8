import { STATUS_CODES } from 'node:http';
import {
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  type RequestHeader,
  type ResponseHeader,
  requestHeadersOf,
  responseHeadersOf,
} from './described-headers.ts';

/** The tag of the monitoring operations; they come last. */
export const HEALTH_TAG = 'health';

/** Where a route's own headers are stored in its operation until they are described. */
export const OWN_HEADERS = 'x-headers';

/** Where it is stored that a request may come without a body, which `@fastify/swagger` does not see. */
export const OPTIONAL_BODY = 'x-optional-body';

/** The headers that a route declares in addition to those that follow from its statuses. */
interface OwnHeaders {
  request: readonly RequestHeader[];
  response: Readonly<Record<string, readonly ResponseHeader[]>>;
}

/** A reference to a part of the description. */
interface Reference {
  $ref: string;
}

interface Response {
  description: string;
  headers?: Record<string, Reference>;
}

/** The parts of an OpenAPI operation that are completed here. */
interface DescribedOperation {
  tags?: string[];
  security?: unknown[];
  parameters?: unknown[];
  requestBody?: { required?: boolean };
  responses: Record<string, Response>;
  [OWN_HEADERS]?: OwnHeaders;
  [OPTIONAL_BODY]?: true;
}

/** The parts of an OpenAPI document that are completed here. */
export interface DescribedDocument {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: Record<string, Record<string, unknown>>;
}

/** Information about the whole service. */
export interface Completion {
  /** The description of each tag, in display order. */
  tags: Readonly<Record<string, string>>;
  /** Headers that every operation except health reads. */
  requestHeaders: readonly RequestHeader[];
  /** Whether requests are rate-limited and answers show the remaining number; health never is. */
  isCounted: boolean;
}

/**
 * Completes an OpenAPI document with what follows from its content: the headers of requests and answers from
 * the statuses, `security: []` if nothing is required, the tags in order with health last.
 */
export function completeDescription<Document extends DescribedDocument>(
  document: Document,
  { tags, requestHeaders, isCounted }: Completion,
): Document {
  const paths = Object.fromEntries(healthLast(Object.entries(document.paths)));
  const used = new Set<string>();
  for (const operation of operationsOf(paths)) {
    const isHealth = operation.tags?.includes(HEALTH_TAG) ?? false;
    const common = isHealth ? [] : requestHeaders;
    for (const reference of completeOperation(operation, common, isCounted && !isHealth)) used.add(reference);
  }
  const completed = {
    ...document,
    servers: [{ url: '/', description: 'This service.' }],
    tags: tagsOf(paths, tags),
    paths,
  };
  return { ...completed, components: componentsOf(document, paths, used) };
}

function operationsOf(paths: DescribedDocument['paths']): DescribedOperation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

function healthLast(paths: [string, Record<string, DescribedOperation>][]) {
  const isHealth = ([, methods]: (typeof paths)[number]) =>
    Object.values(methods).some(({ tags }) => tags?.includes(HEALTH_TAG));
  return [...paths.filter((path) => !isHealth(path)), ...paths.filter(isHealth)];
}

/** Completes an operation, and returns which header components it now refers to. */
function completeOperation(
  operation: DescribedOperation,
  common: readonly RequestHeader[],
  isCounted: boolean,
): string[] {
  const statuses = Object.keys(operation.responses);
  const own = operation[OWN_HEADERS];
  delete operation[OWN_HEADERS];
  if (operation[OPTIONAL_BODY] && operation.requestBody) operation.requestBody.required = false;
  delete operation[OPTIONAL_BODY];
  operation.security ??= [];
  const requestHeaders = [...requestHeadersOf(statuses), ...(own?.request ?? []), ...common].map(
    parameterReference,
  );
  if (requestHeaders.length > 0) operation.parameters = [...(operation.parameters ?? []), ...requestHeaders];
  const used = requestHeaders.map(({ $ref }) => $ref);
  for (const [status, response] of Object.entries(operation.responses)) {
    const names = [...responseHeadersOf(status, statuses, isCounted), ...(own?.response[status] ?? [])];
    response.headers = Object.fromEntries(names.map((name) => [name, headerReference(name)]));
    // The default description of `@fastify/swagger` for a response.
    if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? status;
    used.push(...Object.values(response.headers).map(({ $ref }) => $ref));
  }
  return used;
}

function parameterReference(name: RequestHeader): Reference {
  return { $ref: `#/components/parameters/${componentName(name)}` };
}

function headerReference(name: ResponseHeader): Reference {
  return { $ref: `#/components/headers/${componentName(name)}` };
}

/** A header's name as an identifier for client generators: `If-None-Match` becomes `IfNoneMatch`. */
function componentName(header: string): string {
  return header.replaceAll('-', '');
}

function tagsOf(paths: DescribedDocument['paths'], described: Readonly<Record<string, string>>) {
  const inUse = new Set(operationsOf(paths).flatMap(({ tags = [] }) => tags));
  const names = new Set([...Object.keys(described).filter((name) => inUse.has(name)), ...inUse]);
  names.delete(HEALTH_TAG);
  const health = { name: HEALTH_TAG, description: 'Whether the service is alive, and ready for requests.' };
  return [
    ...[...names].map((name) => ({ name, ...(described[name] && { description: described[name] }) })),
    health,
  ];
}

/** The referenced components; zod's registry is shared by all services in the process. */
function componentsOf(
  { components }: DescribedDocument,
  paths: DescribedDocument['paths'],
  headers: ReadonlySet<string>,
): DescribedDocument['components'] {
  const all = {
    parameters: Object.fromEntries(
      Object.entries(REQUEST_HEADERS).map(([name, header]) => [
        componentName(name),
        { name, in: 'header', ...header },
      ]),
    ),
    headers: Object.fromEntries(
      Object.entries(RESPONSE_HEADERS).map(([name, header]) => [componentName(name), header]),
    ),
    schemas: components.schemas ?? {},
  };
  const used = new Set(headers);
  collectReferences(paths, all, used);
  const kept = Object.entries(all).map(([kind, named]) => [
    kind,
    Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`#/components/${kind}/${name}`))),
  ]);
  return { ...components, ...Object.fromEntries(kept) };
}

/** Adds every reference reachable from `value`, including through referenced schemas. */
function collectReferences(
  value: unknown,
  components: { schemas: Record<string, unknown> },
  found: Set<string>,
): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [member, child] of Object.entries(value)) {
    if (member !== '$ref' || typeof child !== 'string') {
      collectReferences(child, components, found);
      continue;
    }
    if (found.has(child)) continue;
    found.add(child);
    const [, kind, name = ''] = child.split('/').slice(1);
    if (kind === 'schemas') collectReferences(components.schemas[name], components, found);
  }
}
