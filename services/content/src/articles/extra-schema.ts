import { readFile } from 'node:fs/promises';
import { type Context, createContext, Script } from 'node:vm';
import type { FieldFault } from '@pressroom/common/failures/failure';
import { ConfigError } from '@pressroom/common/start/config';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import type { Extra } from './schema.ts';

/** The keyword that makes a text searched. */
const SEARCHED = 'x-searchable';

/**
 * How long a check may take, in ms: alternatives that refer to themselves multiply with each level, and
 * patterns take as long as the text times their program.
 */
const CHECK_MS = 500;

/** The most steps of a pattern's program. */
const MOST_STEPS = 2000;

const MOST_FAULTS = 20;

const CHECK = new Script('check()');

/** The faults of a value, and the texts in it that are searched. */
interface Checked {
  errors: ErrorObject[];
  searched: string[];
}

/** The JSON Schema of the `extra` of articles. */
export class ExtraSchema {
  /** Whether it marks any text as searched. */
  readonly marks: boolean;
  readonly #quick: ValidateFunction;
  readonly #thorough: ValidateFunction;
  readonly #searched: string[] = [];
  readonly #context = createContext({});

  /** @throws Error that says what is wrong with the schema */
  constructor(schema: object, newAjv: (options: Options) => Ajv2020) {
    let marks = false;
    const compile = (options: Options) => {
      const ajv = newAjv(options);
      ajv.addKeyword({
        keyword: SEARCHED,
        type: 'string',
        schemaType: 'boolean',
        compile: (isSearched: boolean) => {
          marks ||= isSearched;
          return (text: string) => {
            if (isSearched) this.#searched.push(text);
            return true;
          };
        },
      });
      const validate = ajv.compile(schema);
      if ('$async' in validate) throw new Error('$async is not supported');
      return validate;
    };
    this.#quick = compile({});
    this.#thorough = compile({ allErrors: true });
    this.marks = marks;
  }

  /** What is wrong with a value, at most {@link MOST_FAULTS}. */
  faults(extra: Extra): FieldFault[] {
    const checked = this.#check(extra);
    if (checked !== undefined) return checked.errors.slice(0, MOST_FAULTS).map(faultOf);
    const message = `cannot be checked within ${CHECK_MS} ms; simplify it`;
    return [{ field: 'extra', code: 'invalid', message }];
  }

  /** The texts of a value that are searched. */
  searched(extra: Extra): string {
    return this.#check(extra)?.searched.join('\n') ?? '';
  }

  /** Where finding all faults takes too long, the first will do. */
  #check(extra: Extra): Checked | undefined {
    const first = this.#run(this.#quick, extra);
    if (first === undefined || first.errors.length === 0) return first;
    return this.#run(this.#thorough, extra) ?? first;
  }

  /** Undefined if it takes too long. */
  #run(validate: ValidateFunction, extra: Extra): Checked | undefined {
    const check = () => {
      this.#searched.length = 0;
      validate(extra);
    };
    if (!ends(check, this.#context)) return undefined;
    return { errors: validate.errors ?? [], searched: [...this.#searched] };
  }
}

/** Whether a check ends within its time, which does not pass while the machine is busy with other things. */
function ends(check: () => void, context: Context): boolean {
  context.check = check;
  const began = process.threadCpuUsage();
  for (let timeout = CHECK_MS; timeout < 100 * CHECK_MS; timeout *= 2) {
    try {
      CHECK.runInContext(context, { timeout });
      return true;
    } catch {
      const { user, system } = process.threadCpuUsage(began);
      if (user + system > 900 * CHECK_MS) return false;
    }
  }
  return false;
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
  const [{ Ajv2020 }, { default: formats }, { RE2JS }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('re2js'),
  ]);
  let pattern: string | undefined;
  const regExp = Object.assign(
    (source: string) => {
      pattern = source;
      const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
      if (compiled.programSize() > MOST_STEPS) {
        throw new Error(
          `the pattern takes ${compiled.programSize()} steps for each character, of at most ${MOST_STEPS}: ` +
            'use smaller repetitions, or maxLength for the length',
        );
      }
      pattern = undefined;
      return compiled;
    },
    { code: 'regExp' },
  );
  const newAjv = (options: Options) => {
    const strict = {
      strict: true,
      strictRequired: false,
      strictTuples: false,
      allowUnionTypes: true,
    } as const;
    const ajv = new Ajv2020({ ...options, ...strict, code: { regExp }, logger: false });
    formats.default(ajv);
    return ajv;
  };
  try {
    return new ExtraSchema(schema, newAjv);
  } catch (error) {
    const { message } = error as Error;
    const culprit = pattern ?? /(?:keyword|reference|ref):? "?([^" ]+)/.exec(message)?.[1];
    const place = culprit === undefined ? undefined : placeOf(culprit, schema);
    throw fault(
      `which is no JSON Schema as it takes it${place === undefined ? '' : ` (at ${place})`}: ${message}`,
    );
  }
}

/** The JSON Pointer of the first member with this name, or this text as its value. */
function placeOf(text: string, value: unknown, place = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return value === text ? place : undefined;
  for (const [name, member] of Object.entries(value)) {
    const inner = `${place}/${name}`;
    const found = name === text ? inner : placeOf(text, member, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The codes of the API by the keywords of JSON Schema. */
const CODES: Readonly<Record<string, string>> = {
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
  return { field: path.join('.'), code: CODES[keyword] ?? 'invalid', message: `${message}${allowed}` };
}

/** A part of a JSON Pointer (RFC 6901). */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
