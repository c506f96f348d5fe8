import { readFileSync } from 'node:fs';
import { reasonOf } from './reason.ts';

/** The environment with what its files hold, and what is wrong with them. */
export interface ResolvedEnvironment {
  env: Record<string, string | undefined>;
  faults: string[];
}

/**
 * Reads the variables `names` from files where `NAME_FILE` names one, as Docker and Kubernetes mount secrets;
 * a line break at the end is not part of the value. A fault is a line for the operator: a file that cannot be
 * read or is empty, or both ways at once.
 */
export function readSecretFiles(
  names: readonly string[],
  env: Record<string, string | undefined>,
): ResolvedEnvironment {
  const resolved = { ...env };
  const faults: string[] = [];
  for (const name of names) {
    const path = env[`${name}_FILE`];
    if (!path) continue;
    if (env[name]) {
      faults.push(`${name} and ${name}_FILE are both set, expected one of them`);
      continue;
    }
    try {
      const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      if (value === '') faults.push(`${name}_FILE is "${path}", which is empty`);
      resolved[name] = value;
    } catch (error) {
      faults.push(`${name}_FILE is "${path}", which cannot be read: ${reasonOf(error)}`);
    }
  }
  return { env: resolved, faults };
}

/**
 * A connection URL with `password`, which may hold any characters. Unchanged if there is none, if `url` has
 * one, or if it is not a URL.
 */
export function withPassword(url: string, password: string | undefined): string {
  if (!password || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.password !== '') return url;
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}
