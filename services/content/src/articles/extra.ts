import { isStorable, NOT_STORABLE } from '@pressroom/common/fields/text';
import { z } from 'zod';

/** What a site keeps of an article besides its members. */
export type Extra = Record<string, unknown>;

/** The most bytes of it as JSON without white space, in UTF-8. */
const MOST_BYTES = 16_384;

/** How deep objects and lists may be nested, itself counted. */
const MOST_LEVELS = 32;

/** The smallest number but 0: PostgreSQL writes numbers without exponents. */
const LEAST = 1e-20;

/** How many faults are named. */
const MOST_FAULTS = 20;

interface Fault {
  path: string[];
  message: string;
  code: string;
}

/** What keeps a value from being stored, and returned as it was sent. */
function* faultsIn(value: unknown, path: string[]): Generator<Fault> {
  if (typeof value === 'string' && !isStorable(value)) {
    yield { path, message: NOT_STORABLE, code: 'invalid_characters' };
  }
  if (typeof value === 'number' && value !== 0) {
    const size = Math.abs(value);
    const message = `must be 0, or from ${LEAST} to ${Number.MAX_SAFE_INTEGER}, with or without a sign: write another number as text`;
    if (!(size >= LEAST && size <= Number.MAX_SAFE_INTEGER)) yield { path, message, code: 'invalid_value' };
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length === MOST_LEVELS) {
    yield { path: [], message: `must be nested at most ${MOST_LEVELS} deep`, code: 'too_deep' };
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__' || !isStorable(name)) {
      const message =
        'has a member whose name cannot be kept (__proto__, or one with a NUL character or half a surrogate pair)';
      yield { path, message, code: 'invalid_characters' };
    } else yield* faultsIn(member, [...path, name]);
  }
}

/** The first faults of an object. */
function firstFaults(value: object): Fault[] {
  const faults = faultsIn(value, []).take(MOST_FAULTS).toArray();
  if (faults.length > 0) return faults;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MOST_BYTES) return [];
  return [
    {
      path: [],
      message: `must be at most ${MOST_BYTES} bytes long as JSON, and has ${bytes}`,
      code: 'too_long',
    },
  ];
}

/** The member `extra` of a body. */
export const extraMember = z
  .unknown()
  .superRefine((value, context) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      context.addIssue({
        code: 'custom',
        message: 'must be an object, or null',
        params: { code: 'invalid_type' },
      });
      return;
    }
    for (const { path, message, code } of firstFaults(value)) {
      context.addIssue({ code: 'custom', path, message, params: { code } });
    }
  })
  .describe(
    `What the site needs besides, as the JSON Schema in \`CONTENT_EXTRA_SCHEMA\` allows it; at most ${MOST_BYTES} bytes, and nested ${MOST_LEVELS} deep.`,
  )
  .meta({ type: 'object', additionalProperties: true }) as unknown as z.ZodType<Extra, Extra>;

/** The member `extra` of an answer. */
export const shownExtra = z.record(z.string(), z.unknown()).nullable();
