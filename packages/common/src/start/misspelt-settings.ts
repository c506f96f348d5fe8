import leven, { closestMatch } from 'leven';
import type { z } from 'zod';
import { type Environment, isSecret } from './config.ts';

/** The first words of names that no other software has. */
const PREFIXES = /^(BACKUP|CONTENT|DESK|EDITORIAL|GALLERY|MEDIA|NEWS|NEWSROOM|SITE)_/;

/** A variable that is no setting, and the setting that it is taken for. */
export interface Misspelling {
  variable: string;
  setting: string;
}

/** The variables of settings: a secret may also be in a file that `NAME_FILE` names. */
export function variablesOf(settings: Readonly<Record<string, z.ZodType>>): string[] {
  return Object.entries(settings).flatMap(([name, schema]) =>
    isSecret(schema) ? [name, `${name}_FILE`] : [name],
  );
}

/**
 * The variables of `env` that are one slip away from one of `known`, which is not set itself: beside
 * `S3_BUCKET` an `S3_BUCKET_2` is meant. Short names are near to too much that other software reads.
 */
export function misspellings(known: readonly string[], env: Environment): Misspelling[] {
  const unset = known.filter((name) => !env[name]);
  return Object.keys(env).flatMap((variable) => {
    if (!env[variable] || variable.length < 6 || known.includes(variable)) return [];
    const setting = unset.find((name) => isSlip(variable.toUpperCase(), name));
    return setting === undefined ? [] : [{ variable, setting }];
  });
}

/** True if one letter is missing, added or another, or some have changed places. */
function isSlip(text: string, name: string): boolean {
  const distance = leven(text, name, { maxDistance: 3 });
  const sorted = (word: string) => [...word].sort().join('');
  return distance < 2 || (distance === 2 && sorted(text) === sorted(name));
}

/**
 * The other variables of `env` that begin as settings of `known` alone do, each with the nearest setting.
 * Only for an `env` without what other programs share.
 */
export function unknownSettings(known: readonly string[], env: Environment): Misspelling[] {
  const misspelt = misspellings(known, env).map(({ variable }) => variable);
  return Object.keys(env).flatMap((variable) => {
    if (!PREFIXES.test(variable) || known.includes(variable) || misspelt.includes(variable)) return [];
    const setting = closestMatch(variable, known);
    return setting === undefined ? [] : [{ variable, setting }];
  });
}

/** Warns of each variable that looks like one of the `settings` that is not set: it is ignored. */
export function warnOfMisspellings(
  settings: Readonly<Record<string, z.ZodType>>,
  env: Environment,
  log: { warn(event: object, message: string): void },
): void {
  for (const misspelling of misspellings(variablesOf(settings), env))
    log.warn(misspelling, 'setting_misspelt');
}
