import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';
import type { Extra } from './schema.ts';

/** The keyword that makes a text searched. */
const SEARCHED = 'x-searchable';

/** The most steps of a pattern's program. */
const MOST_STEPS = 2000;

const MOST_FAULTS = 20;

/** The faults of a value, and the texts in it that are searched. */
export interface CheckedExtra {
  errors: ErrorObject[];
  searched: string[];
}

/** A JSON Schema as the program that checks values by it. */
export interface ExtraValidator {
  /** True if it marks any text as searched. */
  marks: boolean;
  /** Checks a value, up to its first fault or for all of them. */
  check: (extra: Extra, all: boolean) => CheckedExtra;
}

/** @throws Error that says what is wrong with the schema, and where */
export function compileSchema(schema: object): ExtraValidator {
  const searched: string[] = [];
  let marks = false;
  let pattern: string | undefined;
  const compile = (options: Options) => {
    const ajv = newAjv({ ...options, code: { regExp } });
    ajv.addKeyword({
      keyword: SEARCHED,
      type: 'string',
      schemaType: 'boolean',
      compile: (isSearched: boolean) => {
        marks ||= isSearched;
        return (text: string) => {
          if (isSearched) searched.push(text);
          return true;
        };
      },
    });
    const validate = ajv.compile(schema);
    if ('$async' in validate) throw new Error('$async is not supported');
    return validate;
  };
  const regExp = Object.assign(
    (source: string) => {
      pattern = source;
      const compiled = compilePattern(source);
      pattern = undefined;
      return compiled;
    },
    { code: 'regExp' },
  );
  try {
    const [first, thorough] = [compile({}), compile({ allErrors: true })];
    const check = (extra: Extra, all: boolean) => {
      searched.length = 0;
      const validate = all ? thorough : first;
      validate(extra);
      return { errors: (validate.errors ?? []).slice(0, MOST_FAULTS), searched: [...searched] };
    };
    return { marks, check };
  } catch (error) {
    const { message } = error as Error;
    const culprit = pattern ?? /(?:keyword|reference|ref):? "?([^" ]+)/.exec(message)?.[1];
    const place = culprit === undefined ? undefined : placeOf(culprit, schema);
    throw new Error(`${place === undefined ? '' : ` (at ${place})`}: ${message}`, { cause: error });
  }
}

function newAjv(options: Options): Ajv2020 {
  const strict = { strict: true, strictRequired: false, strictTuples: false, allowUnionTypes: true } as const;
  const ajv = new Ajv2020({ ...options, ...strict, logger: false });
  formats.default(ajv);
  return ajv;
}

function compilePattern(source: string): RE2JS {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  if (compiled.programSize() <= MOST_STEPS) return compiled;
  throw new Error(
    `the pattern takes ${compiled.programSize()} steps for each character, of at most ${MOST_STEPS}: ` +
      'use smaller repetitions, or maxLength for the length',
  );
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
