import type { z } from 'zod';

/** zod's own JSON Schema of a part of a schema, for us to mend. */
type Context = Parameters<NonNullable<z.core.JSONSchemaGeneratorParams['override']>>[0];

/** Formats that say all that zod's expression for them says. */
const TIME_FORMATS = new Set(['date', 'date-time', 'time']);

/**
 * Makes the JSON Schema that zod derives fit to be read by a stranger and by generators of clients: a number
 * in a query string is an integer with its default, and bounds and expressions that nobody chose are left
 * out. What is accepted at run time is not changed by it.
 */
export function describeSchema({ zodSchema, jsonSchema }: Context): void {
  const { def } = zodSchema._zod;
  if (def.type === 'default') describeDefault(def.defaultValue, jsonSchema);
  if (jsonSchema.type === 'integer') {
    // The digits of a number on the wire (see `integerParameter`).
    delete jsonSchema.pattern;
    describeBounds(jsonSchema);
  }
  if (TIME_FORMATS.has(String(jsonSchema.format))) delete jsonSchema.pattern;
}

/**
 * zod leaves out the default of what is transformed; it is of use where its form is the one that a client
 * sends.
 */
function describeDefault(value: unknown, jsonSchema: Context['jsonSchema']): void {
  const type = typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
  if (jsonSchema.type === type) jsonSchema.default = value;
}

/** A count of the answer has the bounds of JavaScript's safe integers, which no author wrote. */
function describeBounds(jsonSchema: Context['jsonSchema']): void {
  if (jsonSchema.minimum !== Number.MIN_SAFE_INTEGER) {
    // `positive()`, next to the bounds of an id.
    if (jsonSchema.minimum !== undefined) delete jsonSchema.exclusiveMinimum;
    return;
  }
  delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
