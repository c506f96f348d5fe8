/** A header that requests may carry, by its name. */
export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** A header that answers may carry, by its name. */
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

declare module 'fastify' {
  interface FastifySchema {
    /**
     * Headers that the operation reads, beyond those that its statuses tell of, for the OpenAPI description.
     */
    requestHeaders?: readonly RequestHeader[];
    /**
     * Headers of its answers by status, beyond those that the status tells of, for the OpenAPI description.
     */
    responseHeaders?: Readonly<Record<number, readonly ResponseHeader[]>>;
  }
}

const count = { type: 'integer', minimum: 0 };
/** Nothing is refused for its spelling or length: what is no entity tag matches nothing. */
const entityTags = { type: 'string' };

/** The headers of requests that the services read, as OpenAPI describes parameters. */
export const REQUEST_HEADERS = {
  'If-None-Match': {
    description:
      'The ETag of the representation that you have (a list, weak tags and `*` are accepted). The answer is 304' +
      ' without a body while it is still current.',
    schema: entityTags,
  },
  'If-Match': {
    description:
      'The ETag of the representation that you are changing. The answer is 412, and nothing changes, if somebody' +
      ' else has changed it since you read it.',
    schema: entityTags,
  },
  'Idempotency-Key': {
    description:
      'A name that you choose for this request, such as a UUID. If the answer gets lost, send the same request' +
      ' with the same key again: it is carried out once.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
  'User-Agent': {
    description: 'Any value, of at most 2048 characters.',
    schema: { type: 'string', maxLength: 2048 },
  },
  Range: {
    description:
      'The bytes that you want, such as `bytes=0-1023`. Several ranges are answered with the whole.',
    schema: { type: 'string' },
  },
} as const;

/** The headers of answers, as OpenAPI describes them. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'The id of this request in the log. Name it when you report a problem.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  'Cache-Control': {
    description: 'Who may keep the answer and for how long (RFC 9111).',
    required: true,
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Changes with the answer. Send it as `If-None-Match` when you ask again.',
    schema: { type: 'string', pattern: '^"[\\x21\\x23-\\x7e]+"$' },
  },
  Location: {
    description: 'Where the resource is.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Retry-After': {
    description: 'Wait at least this many seconds before you try again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'Content-Range': {
    description: 'Which bytes these are, and of how many.',
    required: true,
    schema: { type: 'string' },
  },
  Allow: {
    description: 'The methods that this path answers to.',
    required: true,
    schema: { type: 'string' },
  },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 9110).', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: '`true` if an earlier request with the same `Idempotency-Key` was carried out instead.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Set-Cookie': { description: 'Sets or clears the session cookie.', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Requests that you may send in a minute.', schema: count },
  'X-RateLimit-Remaining': { description: 'Requests that are left of this minute.', schema: count },
  'X-RateLimit-Reset': {
    description: 'Seconds until the minute ends and the count starts again.',
    schema: count,
  },
} as const;

/** What every answer carries. */
const ALWAYS: readonly ResponseHeader[] = ['X-Request-Id', 'Cache-Control'];

/** What the answers of a counted operation carry too. */
const COUNTED: readonly ResponseHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** What a status alone tells. */
const BY_STATUS: Readonly<Record<string, readonly ResponseHeader[]>> = {
  201: ['Location'],
  304: ['ETag'],
  308: ['Location'],
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The headers that every request to an operation with these statuses may carry. */
export function requestHeadersOf(statuses: readonly string[]): RequestHeader[] {
  return [
    ...(statuses.includes('304') ? (['If-None-Match'] as const) : []),
    ...(statuses.includes('412') ? (['If-Match'] as const) : []),
  ];
}

/** The headers that an answer with this status carries, in an operation with these statuses. */
export function responseHeadersOf(
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
