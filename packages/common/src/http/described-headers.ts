/** A header that requests may carry, by its name. */
export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** A header that answers may carry, by its name. */
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

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
export const REQUEST_HEADERS = {
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
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'The id of this request in the log. Include it when you report a problem.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  'Cache-Control': {
    description: 'Who may cache the answer and for how long (RFC 9111).',
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

/** The headers of every answer. */
const ALWAYS: readonly ResponseHeader[] = ['X-Request-Id', 'Cache-Control'];

/** Additional headers of the answers of rate-limited operations. */
const COUNTED: readonly ResponseHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** The headers implied by a status. */
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
export function requestHeadersOf(statuses: readonly string[]): RequestHeader[] {
  return [
    ...(statuses.includes('304') || statuses.includes('412') ? (['If-None-Match'] as const) : []),
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
