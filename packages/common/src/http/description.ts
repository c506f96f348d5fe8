import { STATUS_CODES } from 'node:http';

/** The tag of the monitoring operations; they come last. */
export const HEALTH_TAG = 'health';

/** Key of an operation for a route's own headers, until they are described. */
export const OWN_HEADERS = 'x-headers';

/** Key for requests that may come without a body, which `@fastify/swagger` does not see. */
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

interface Parameter {
  name: string;
  description?: string;
}

/** The parts of an OpenAPI operation that are completed here. */
interface DescribedOperation {
  tags?: string[];
  security?: unknown[];
  parameters?: unknown[];
  requestBody?: { required?: boolean };
  responses: Record<string, Response | Reference>;
  [OWN_HEADERS]?: OwnHeaders;
  [OPTIONAL_BODY]?: true;
}

/** The parts of an OpenAPI document that are completed here. */
export interface DescribedDocument {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: Record<string, Record<string, unknown>>;
}

interface Completion {
  /** The description of each tag, in display order. */
  tags: Readonly<Record<string, string>>;
  /** Headers that every operation except health reads. */
  requestHeaders: readonly RequestHeader[];
  /** An example of each schema, by the schema's name. */
  examples: Readonly<Record<string, unknown>>;
  /** True if requests are rate-limited and answers show the remaining number; health never is. */
  isCounted: boolean;
}

/**
 * Completes an OpenAPI document with what follows from its content: the headers of requests and answers from
 * the statuses, `security: []` if nothing is required, the tags in order with health last.
 */
export function completeDescription<Document extends DescribedDocument>(
  document: Document,
  { tags, requestHeaders, examples, isCounted }: Completion,
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
  const components = componentsOf(document, paths, used);
  for (const [name, schema] of Object.entries(components.schemas ?? {})) {
    if (Object.hasOwn(examples, name)) Object.assign(schema as object, { examples: [examples[name]] });
  }
  return { ...completed, components: { ...components, responses: shareRefusals(paths) } };
}

/**
 * Puts each different answer with a status from 300 on in one place, and returns these by name: most of a
 * description would be the same refusals again.
 */
function shareRefusals(paths: DescribedDocument['paths']): Record<string, Response> {
  const shared: Record<string, Response> = {};
  const names = new Map<string, string>();
  for (const { responses } of operationsOf(paths)) {
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 300) continue;
      const text = status + JSON.stringify(response);
      const name = names.get(text) ?? freeName(STATUS_CODES[status] ?? status, shared);
      names.set(text, name);
      shared[name] = response as Response;
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return shared;
}

/** Makes a name that `taken` does not have of a status in words: `NotFound`, then `NotFound2`. */
function freeName(words: string, taken: object): string {
  const name = words.replaceAll(/[^A-Za-z]/g, '');
  const isFree = (candidate: string) => !Object.hasOwn(taken, candidate);
  if (isFree(name)) return name;
  let number = 2;
  while (!isFree(`${name}${number}`)) number += 1;
  return `${name}${number}`;
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
  for (const parameter of operation.parameters ?? []) describeParameter(parameter as Parameter);
  const requestHeaders = [...requestHeadersOf(statuses), ...(own?.request ?? []), ...common].map(
    parameterReference,
  );
  if (requestHeaders.length > 0) operation.parameters = [...(operation.parameters ?? []), ...requestHeaders];
  const used = requestHeaders.map(({ $ref }) => $ref);
  // None is a reference before `shareRefusals`.
  for (const [status, response] of Object.entries(operation.responses as Record<string, Response>)) {
    const names = [...responseHeadersOf(status, statuses, isCounted), ...(own?.response[status] ?? [])];
    response.headers = Object.fromEntries(names.map((name) => [name, headerReference(name)]));
    // The default description of `@fastify/swagger` for a response.
    if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? status;
    used.push(...Object.values(response.headers).map(({ $ref }) => $ref));
  }
  return used;
}

/** Descriptions of parameters that have none of their own, by name: they mean the same everywhere. */
const PARAMETERS: Readonly<Record<string, string>> = {
  category: 'The name of a category, as the site has chosen it.',
  category_id: 'The id of a category: only what is in it.',
  date: 'The date of the report.',
  direction: 'The name of a direction, as the site has chosen it.',
  edit: 'The number of the edit, as its answer and the history have it.',
  id: 'The id, as lists and answers have it.',
  limit: 'The most entries of an answer.',
  name: 'The name, as lists have it.',
  page: 'The number of the page, from 1.',
  per_page: 'The most entries of a page.',
  period: 'The kind of the report.',
  prefix: 'The 8 characters after `pk_`, which name the key in lists.',
  preview_id: 'The id of the link.',
  provider: 'The name of the provider of single sign-on, as the settings have it.',
  publicId: 'The `publicId` of the story, as answers have it.',
  revision: 'The number of the revision, from 1.',
  since: 'A time with an offset: only what is from then on.',
  slug: 'The slug, the readable part of its address.',
  tab: 'The id that the page has made for itself.',
};

function describeParameter(parameter: Parameter): void {
  const text = PARAMETERS[parameter.name];
  if (text !== undefined) parameter.description ??= text;
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
  const health = {
    name: HEALTH_TAG,
    description: 'Checks that the service is alive, and ready for requests.',
  };
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

/** A header that requests may carry, by its name. */
export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** A header that answers may carry, by its name. */
type ResponseHeader = keyof typeof RESPONSE_HEADERS;

declare module 'fastify' {
  interface FastifySchema {
    /**
     * Headers that the operation reads, besides those implied by its statuses, for the OpenAPI description.
     */
    requestHeaders?: readonly RequestHeader[];
    /** Headers of its answers by status, besides those implied by the status, for the OpenAPI description. */
    responseHeaders?: Readonly<Record<number, readonly ResponseHeader[]>>;
  }
}

const count = { type: 'integer', minimum: 0 };
/** Nothing is refused for its spelling or length: anything that is not an entity tag matches nothing. */
const entityTags = { type: 'string' };

/** The headers of requests that the services read, as OpenAPI describes parameters. */
const REQUEST_HEADERS = {
  'If-None-Match': {
    description:
      'The ETag of the representation you have (a list, weak tags and `*` are accepted). The answer is 304' +
      ' without a body while it is still current; of a write, 412: `*` writes only what is not there yet.',
    schema: entityTags,
  },
  'If-Match': {
    description:
      'The ETag of the representation you are changing. The answer is 412, and nothing changes, if somebody' +
      ' else has changed it since you read it.',
    schema: entityTags,
  },
  'Idempotency-Key': {
    description:
      'A name you choose for this request, such as a UUID. If the answer gets lost, send the same request' +
      ' with the same key again: it is carried out once.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
  'User-Agent': {
    description: 'Any value of at most 2048 characters.',
    schema: { type: 'string', maxLength: 2048 },
  },
  Range: {
    description: 'The bytes you want, such as `bytes=0-1023`. Multiple ranges are answered with the whole.',
    schema: { type: 'string' },
  },
} as const;

/** The headers of answers, as OpenAPI describes them. */
const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'The id of this request in the log. Include it when you report a problem.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  'Cache-Control': {
    description: 'The caches that may keep the answer, and for how long (RFC 9111).',
    required: true,
    schema: { type: 'string' },
  },
  ETag: {
    description:
      'Changes with the answer. Send it as `If-None-Match` when you request it again, and as `If-Match` with a' +
      ' write; the one in the answer to a write is for `If-Match` alone.',
    schema: { type: 'string', pattern: '^"[\\x21\\x23-\\x7e]+"$' },
  },
  Location: {
    description: 'The URL of the resource.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Retry-After': {
    description: 'Wait at least this many seconds before trying again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'Content-Range': {
    description: 'The range of bytes returned and the total size.',
    required: true,
    schema: { type: 'string' },
  },
  Allow: {
    description: 'The methods that this path supports.',
    required: true,
    schema: { type: 'string' },
  },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 9110).', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: '`true` if an earlier request with the same `Idempotency-Key` was carried out instead.',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-Thumbnail': {
    description: '`placeholder` if the answer only stands for an image of which no thumbnail can be made.',
    schema: { type: 'string', enum: ['placeholder'] },
  },
  'X-Thumbnail-Reason': {
    description: 'Why there is only a placeholder.',
    schema: {
      type: 'string',
      enum: ['damaged', 'unsupported', 'too_complex', 'no_preview', 'locked'],
    },
  },
  'Set-Cookie': { description: 'Sets or clears the session cookie.', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Requests allowed per minute.', schema: count },
  'X-RateLimit-Remaining': { description: 'Requests left in this minute.', schema: count },
  'X-RateLimit-Reset': {
    description: 'Seconds until the minute ends and the count restarts.',
    schema: count,
  },
} as const;

const ALWAYS: readonly ResponseHeader[] = ['X-Request-Id', 'Cache-Control'];

/** Additional headers of the answers of rate-limited operations. */
const COUNTED: readonly ResponseHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

const BY_STATUS: Readonly<Record<string, readonly ResponseHeader[]>> = {
  201: ['Location'],
  302: ['Location'],
  304: ['ETag'],
  308: ['Location'],
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The headers that every request to an operation with these statuses may carry. */
function requestHeadersOf(statuses: readonly string[]): RequestHeader[] {
  return [
    ...(statuses.includes('304') || statuses.includes('412') ? (['If-None-Match'] as const) : []),
    ...(statuses.includes('412') ? (['If-Match'] as const) : []),
  ];
}

/** The headers that an answer with this status carries, in an operation with these statuses. */
function responseHeadersOf(
  status: string,
  statuses: readonly string[],
  isCounted: boolean,
): ResponseHeader[] {
  const hasValidator = status === '200' && statuses.includes('304');
  return [
    ...ALWAYS,
    ...(hasValidator ? (['ETag'] as const) : []),
    ...(BY_STATUS[status] ?? []),
    ...(isCounted ? COUNTED : []),
  ];
}
