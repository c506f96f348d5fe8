import type { FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { type FieldFault, invalid } from '../failures/failure.ts';
import { invalidRequest, Problem } from './problem.ts';

/** An issue reported by zod, as passed on by `fastify-type-provider-zod`. */
interface Issue {
  instancePath: string;
  keyword: string;
  message?: string;
  params: {
    expected?: unknown;
    keys?: unknown;
    code?: unknown;
    input?: unknown;
    origin?: unknown;
    params?: { code?: unknown };
  };
}

/** zod's issue codes that are sent unchanged. */
const CODES = new Set(['invalid_type', 'invalid_format', 'invalid_value']);

/** How many unknown members or parameters are named. */
const MOST_UNKNOWN = 20;

/** Types that have a length, not a size. */
const LENGTHY = new Set<unknown>(['string', 'array']);

function codeOf({ keyword, params }: Issue): string {
  const own = params.params?.code;
  if (typeof own === 'string') return own;
  if (keyword === 'too_big') return LENGTHY.has(params.origin) ? 'too_long' : 'too_large';
  if (keyword === 'too_small') return LENGTHY.has(params.origin) ? 'too_short' : 'too_small';
  return CODES.has(keyword) ? keyword : 'invalid';
}

/** The value in a part of the request that an issue points to. */
function valueAt(part: unknown, path: string[]): unknown {
  return path.reduce<unknown>(
    (value, member) => (value as Record<string, unknown> | undefined)?.[member],
    part,
  );
}

function fieldErrors(issue: Issue, part: unknown): FieldFault[] {
  const path = issue.instancePath.split('/').filter((member) => member !== '');
  const field = path.join('.');
  if (issue.keyword === 'unrecognized_keys' && Array.isArray(issue.params.keys)) {
    return unknownMembers(field, issue.params.keys.map(String));
  }
  if (issue.keyword === 'invalid_type' && path.length > 0 && valueAt(part, path) === undefined) {
    return [{ field, code: 'required', message: 'is required' }];
  }
  return [{ field, code: codeOf(issue), message: sentenceOf(issue, field) }];
}

/** zod's own texts, for schemas without one, tell of types and not of what to change. */
function sentenceOf({ message = 'is invalid', params: { expected } }: Issue, field: string): string {
  if (!message.startsWith('Invalid input')) return message;
  if (field === '') return 'the body must be a JSON object with the members that the description names';
  return typeof expected === 'string' ? `must be ${TYPES[expected] ?? expected}` : 'is invalid';
}

/** Types as zod names them, in a sentence. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

/** Names the first unknown members, and how many more there are. */
function unknownMembers(field: string, names: string[]): FieldFault[] {
  const errors = names.slice(0, MOST_UNKNOWN).map((name) => ({
    field: field ? `${field}.${name}` : name,
    code: 'unknown_member',
    message: 'is not a member of this resource; remove it',
  }));
  const more = names.length - errors.length;
  if (more === 0) return errors;
  return [
    ...errors,
    { field, code: 'unknown_members', message: `has ${more} more unknown members; remove them` },
  ];
}

/** The parts of a request that are read before the body, as a client names them. */
const PLACES = { params: 'path', querystring: 'query string', headers: 'header' };

/** A part of the request that was checked against a schema. */
type Part = 'body' | 'querystring' | 'params' | 'headers';

/**
 * Turns a failed zod validation into the problem that `docs/spec/wire.md` decides: 400 `invalid_request` for
 * the path, the query string and headers; for a readable body 422 `validation_failed` or 400
 * `invalid_request`, depending on the service, with all errors. Returns undefined when `error` is not a
 * validation error.
 */
export function validationProblem(
  error: Error & { validation?: unknown; validationContext?: string | undefined },
  request: FastifyRequest,
  invalidBody: 400 | 422,
): Problem | undefined {
  if (!hasZodFastifySchemaValidationErrors(error)) return undefined;
  const { body, query: querystring, params, headers } = request;
  const part = error.validationContext as Part;
  const value = { body, querystring, params, headers }[part];
  const errors = (error.validation as unknown as Issue[]).flatMap((issue) => fieldErrors(issue, value));
  if (part === 'body') {
    if (body === undefined) return invalidRequest('the request needs a JSON body');
    const code = invalidBody === 422 ? 'validation_failed' : 'invalid_request';
    return new Problem(invalidBody, code, invalid(errors).message, { errors });
  }
  const faults = errors.map(({ field, code, message }) => {
    if (code === 'unknown_member') return `unknown parameter "${field}"`;
    if (code === 'unknown_members') return message.replace('has ', '').replaceAll('member', 'parameter');
    return `"${field}" ${Array.isArray(valueAt(value, [field])) ? 'must be given once' : message}`;
  });
  return invalidRequest(`${PLACES[part]}: ${[...new Set(faults)].join('; ')}`);
}
