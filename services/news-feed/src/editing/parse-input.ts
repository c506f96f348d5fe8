import { Failure } from '@pressroom/common/failures/failure';
import type { z } from 'zod';

/** The longest value that a message repeats, in characters of JSON. */
const MAX_SHOWN = 80;

/** zod's type names in words that a reader knows. */
const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** Parses a value by a schema. Throws a {@link Failure} that lists every fault. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value, { error: expectation });
  if (result.success) return result.data;
  throw invalidInput(value, result.error.issues);
}

/** The failure that lists every error in a value that a schema has rejected. */
function invalidInput(value: unknown, issues: readonly z.core.$ZodIssue[]): Failure {
  return new Failure('invalid', issues.map((issue) => faultOf(issue, value)).join('; '));
}

/** The message for schemas that do not define one: the `error` option of a parse. */
function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_small':
      return `must ${sizeOf(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_format':
      return issue.format === 'date' ? 'must be a date such as 2026-11-20' : `must be a ${issue.format}`;
    default:
      return undefined;
  }
}

function sizeOf(origin: string): string {
  return origin === 'array' ? 'have' : 'be';
}

function unitOf(origin: string): string {
  if (origin === 'array') return ' entries';
  return origin === 'string' ? ' characters long' : '';
}

function faultOf(issue: z.core.$ZodIssue, line: unknown): string {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => [...path, key].join('.'));
    return `${names.join(', ')}: unknown member; see import --schema`;
  }
  const where = path.join('.') || 'line';
  const given = valueAt(line, path);
  if (given === undefined) return `${where}: is required`;
  // A union's message is about its members and does not fit a value that is not an object.
  const isOther = issue.code === 'invalid_type' && issue.expected === 'object';
  const expected = isOther ? 'must be an object' : message;
  return `${where}: ${expected}${expected.startsWith('must be') ? shown(given, issue) : ''}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  );
}

/** The value that was given. Long texts are not repeated in full. */
function shown(value: unknown, { code }: z.core.$ZodIssue): string {
  if (Array.isArray(value)) return ', not a list';
  if (typeof value === 'object' && value !== null) return ', not an object';
  const json = JSON.stringify(value);
  if (json.length <= MAX_SHOWN) return `, not ${json}`;
  return code === 'invalid_type' ? `, not ${json.slice(0, MAX_SHOWN)}…` : '';
}
