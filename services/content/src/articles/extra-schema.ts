import { readFile } from 'node:fs/promises';
import type { FieldCode, FieldFault } from '@pressroom/common/failures/failure';
import { ConfigError } from '@pressroom/common/start/config';
import { type ThreadLimits, ThreadPool, UnfinishedTask } from '@pressroom/common/threads/thread-pool';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { ExtraTask } from './extra-thread.ts';
import type { CheckedExtra } from './extra-validator.ts';
import type { Extra } from './schema.ts';

/**
 * Alternatives that refer to themselves multiply with each level, and patterns take as long as the text times
 * their program.
 */
const LIMITS: ThreadLimits = { startMs: 30_000, cpuMs: 500, timeMs: 60_000, memoryMiB: 256, threads: 2 };

/** The JSON Schema of the `extra` of articles, by which values are checked in threads. */
export class ExtraSchema {
  /** True if it marks any text as searched. */
  readonly marks: boolean;
  readonly #threads: ThreadPool<ExtraTask, CheckedExtra>;

  constructor(schema: object, marks: boolean) {
    this.#threads = new ThreadPool(new URL('./extra-thread.ts', import.meta.url), LIMITS, schema);
    this.marks = marks;
  }

  /**
   * Returns the faults of a value.
   *
   * @param owner who sent it: owners take turns
   * @throws Failure `unavailable` if the machine is too busy
   */
  async faults(extra: Extra, owner: string): Promise<FieldFault[]> {
    const checked = await this.#check(extra, owner);
    if (checked !== undefined) return checked.errors.map(faultOf);
    const message = `cannot be checked within ${LIMITS.cpuMs} ms; simplify it`;
    return [{ field: 'extra', code: 'invalid', message }];
  }

  /** The texts of a value that are searched. */
  async searched(extra: Extra): Promise<string> {
    return (await this.#check(extra, ''))?.searched.join('\n') ?? '';
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  /** If finding all faults takes too long, the first will do. */
  async #check(extra: Extra, owner: string): Promise<CheckedExtra | undefined> {
    const first = await this.#run(extra, owner, false);
    if (first === undefined || first.errors.length === 0) return first;
    return (await this.#run(extra, owner, true)) ?? first;
  }

  /** Undefined if it takes too long. */
  async #run(extra: Extra, owner: string, all: boolean): Promise<CheckedExtra | undefined> {
    try {
      return await this.#threads.run(owner, () => ({ extra, all }));
    } catch (error) {
      if (error instanceof UnfinishedTask) return undefined;
      throw error;
    }
  }
}

/**
 * The schema that `CONTENT_EXTRA_SCHEMA` names, if it names one.
 *
 * @throws ConfigError that names what is wrong with the file, and where
 */
export async function readExtraSchema(file: string | undefined): Promise<ExtraSchema | undefined> {
  if (file === undefined) return undefined;
  const fault = (what: string) => new ConfigError([`CONTENT_EXTRA_SCHEMA is "${file}", ${what}`]);
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw fault(`which cannot be read: ${error.message}`);
  });
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw fault(`which is not JSON: ${(error as Error).message}`);
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw fault('which is not an object');
  // Loaded only then, so that it costs nothing otherwise.
  const { compileSchema } = await import('./extra-validator.ts');
  try {
    return new ExtraSchema(schema, compileSchema(schema).marks);
  } catch (error) {
    throw fault(`which is no JSON Schema as it takes it${(error as Error).message}`);
  }
}

/** The codes of the API by the keywords of JSON Schema. */
const CODES: Readonly<Record<string, FieldCode>> = {
  type: 'invalid_type',
  enum: 'invalid_value',
  const: 'invalid_value',
  format: 'invalid_format',
  pattern: 'invalid_format',
  minLength: 'too_short',
  minItems: 'too_short',
  maxLength: 'too_long',
  maxItems: 'too_long',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  maximum: 'too_large',
  exclusiveMaximum: 'too_large',
};

function faultOf({ instancePath, keyword, params, message = 'is invalid' }: ErrorObject): FieldFault {
  const path = ['extra', ...instancePath.split('/').slice(1).map(unescaped)];
  const named = (name: unknown) => [...path, String(name)].join('.');
  if (keyword === 'required') {
    return { field: named(params.missingProperty), code: 'required', message: 'is required' };
  }
  const unknown: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  if (unknown !== undefined) {
    return {
      field: named(unknown),
      code: 'unknown_member',
      message: 'is not a member that the schema has; remove it',
    };
  }
  const allowed = Array.isArray(params.allowedValues)
    ? `: ${params.allowedValues.map(String).join(', ')}`
    : '';
  return {
    field: path.join('.'),
    code: CODES[keyword] ?? 'invalid',
    message: `${message}${allowed}`,
    ...(typeof params.limit === 'number' && { limit: params.limit }),
  };
}

/** A part of a JSON Pointer (RFC 6901). */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
