import { fileURLToPath } from 'node:url';
import { Failure } from '@pressroom/common/failures/failure';
import { readTextFile } from '@pressroom/common/files/json-lines';
import { parse } from 'yaml';
import { z } from 'zod';

/** The packs that come with Pressroom, each a file of `packs`. */
export const PACKS = ['technology', 'general', 'business', 'sport', 'science', 'local'] as const;

const COMMON = 'common';

/** Weight of a term that is given without a number. */
export const WEIGHT = 2;

/** Terms of one language, separated by commas, each with its weight after a = if it has one. */
const terms = z.string().transform(
  (text): Terms =>
    Object.fromEntries(
      text
        .split(',')
        .map((term) => term.trim().replace(/\s+/g, ' '))
        .filter((term) => term !== '')
        .map((term) => {
          const [, word = term, weight = WEIGHT] = /^(.+?)\s*=\s*(-?\d{1,2})$/.exec(term) ?? [];
          return [word, Number(weight)];
        }),
    ),
);

/** Schema of values by language: its primary subtag (BCP 47). */
function byLanguage<Value extends z.ZodType>(value: Value) {
  const error = keyError('must be a language such as en or pt, or any');
  return z.record(z.string().regex(/^[a-z]{2,3}$/), value, { error }).default({});
}

function byName<Value extends z.ZodType>(value: Value) {
  const error = keyError('must be a name of a–z, 0–9 and -');
  return z.record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/), value, { error }).default({});
}

/** The library names the key, and not what is wrong with it. */
function keyError(message: string) {
  return ({ code }: { code: string }) => (code === 'invalid_key' ? message : undefined);
}

const group = z.strictObject({
  label: byLanguage(z.string().min(1).max(100)),
  terms: byLanguage(terms),
});

const signal = z.strictObject({
  points: z.number().min(-100).max(100),
  terms: byLanguage(terms),
});

/** A thing with its spellings in Latin letters and in Chinese characters. */
const thing = z
  .string()
  .regex(/^[^|]+(\|[^|]+)?$/u, 'must have spellings in Latin letters and, after a bar, in Chinese characters')
  .transform((line) => {
    const [latin = [], chinese = []] = line
      .split('|')
      .map((side) => side.split(',').map((spelling) => spelling.trim().toLowerCase()));
    return { latin, chinese };
  });

const things = z.array(thing).default([]);

const packFile = z.strictObject({
  threshold: z.number().min(0).max(100).optional(),
  quota: z.int().min(0).optional(),
  use: z.partialRecord(z.enum(PACKS), z.array(z.string())).default({}),
  categories: byName(group),
  directions: byName(group),
  signals: byName(signal),
  lexicon: z.strictObject({ places: things, bodies: things, concepts: things }).prefault({}),
});

export type Terms = Readonly<Record<string, number>>;

/** A category or a direction: how readers see it, and the words that mean it, both by language. */
export type Group = z.infer<typeof group>;

/** The packs merged into one; `common.yaml` explains the members. */
export type Pack = Omit<z.infer<typeof packFile>, 'use'>;

/**
 * Reads packs by their names, or by the paths of a site's own; a later one goes over those before it. `read`
 * keeps each. Throws a `Failure`.
 */
export function readPacks(names: readonly string[], read = new Map<string, Pack>()): Pack {
  const packs = [COMMON, ...names].map((name) => {
    const pack = read.get(name) ?? readPack(name);
    read.set(name, pack);
    return pack;
  });
  return packs.reduce(over);
}

function readPack(pack: string): Pack {
  const isOwn = /\.ya?ml$/.test(pack);
  const file = isOwn ? pack : fileURLToPath(new URL(`../packs/${pack}.yaml`, import.meta.url));
  const { use, ...own } = readYamlFile(file, packFile, 'a pack');
  const categories = { ...own.categories };
  for (const [other, wanted = []] of Object.entries(use)) {
    const theirs = readPack(other).categories;
    for (const category of wanted) {
      const found = theirs[category];
      if (found === undefined) {
        throw new Failure('invalid', `${file}: the pack ${other} has no category ${category}`);
      }
      categories[category] = joined(categories[category], found);
    }
  }
  return { ...own, categories };
}

function over(before: Pack, after: Pack): Pack {
  return {
    threshold: after.threshold ?? before.threshold,
    quota: after.quota ?? before.quota,
    categories: eachOver(before.categories, after.categories, joined),
    directions: eachOver(before.directions, after.directions, joined),
    signals: eachOver(before.signals, after.signals, (ours, theirs) => ({
      points: theirs.points,
      terms: eachOver(ours?.terms ?? {}, theirs.terms, (a, b) => ({ ...a, ...b })),
    })),
    lexicon: {
      places: [...before.lexicon.places, ...after.lexicon.places],
      bodies: [...before.lexicon.bodies, ...after.lexicon.bodies],
      concepts: [...before.lexicon.concepts, ...after.lexicon.concepts],
    },
  };
}

function joined(before: Group | undefined, after: Group): Group {
  return {
    label: { ...before?.label, ...after.label },
    terms: eachOver(before?.terms ?? {}, after.terms, (a, b) => ({ ...a, ...b })),
  };
}

function eachOver<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  join: (before: T | undefined, after: T) => T,
): Record<string, T> {
  const result = { ...before };
  for (const [key, value] of Object.entries(after)) result[key] = join(before[key], value);
  return result;
}

/**
 * Reads a YAML file by a schema. `name` says in faults what the file should be, such as "a lexicon".
 * Throws a {@link Failure}.
 */
function readYamlFile<Schema extends z.ZodType>(file: string, schema: Schema, name: string): z.infer<Schema> {
  const text = readTextFile(file);
  try {
    return schema.parse(parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new Failure('invalid', `${file} is not ${name}: ${reason}`);
  }
}
