import type { z } from 'zod';

/** zod's JSON Schema of a part of a schema, adjusted here. */
type Context = Parameters<NonNullable<z.core.JSONSchemaGeneratorParams['override']>>[0];

/** Formats that make zod's regular expression for them redundant. */
const TIME_FORMATS = new Set(['date', 'date-time', 'time']);

/**
 * Makes the JSON Schema derived by zod suitable for readers and client generators: a number in a query string
 * is an integer with its default, and bounds and expressions that nobody chose are left out. Validation at
 * run time does not change.
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

/** zod omits the default of a transformed value; it is useful if it has the form that a client sends. */
function describeDefault(value: unknown, jsonSchema: Context['jsonSchema']): void {
  const type = typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
  if (jsonSchema.type === type) jsonSchema.default = value;
}

/** A count in an answer has the bounds of JavaScript's safe integers, which no author wrote. */
function describeBounds(jsonSchema: Context['jsonSchema']): void {
  if (jsonSchema.minimum !== Number.MIN_SAFE_INTEGER) {
    // `positive()`, next to the bounds of an id.
    if (jsonSchema.minimum !== undefined) delete jsonSchema.exclusiveMinimum;
    return;
  }
  delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
