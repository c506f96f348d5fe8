import { z } from 'zod';
import { EndpointFault } from '../models/model-endpoint.ts';
import { isEnglishWord } from './english-words.ts';
import { addressesOf, cleanText, repeats, unknownFacts } from './model-answer.ts';

/** The longest digest, in characters. */
const MOST_CHARACTERS = 2000;

/** What a model answers about a story, given what it may cite. */
export function digestAnswer(given: string) {
  const own = addressesOf(given).filter((address) => !/^\d+$/.test(address));
  return z.strictObject({
    digest: cleanText(MOST_CHARACTERS, own).refine((text) => text.trim() !== '', 'must not be empty'),
  });
}

/** The schema as JSON Schema, for endpoints that hold a model to it. */
export const DIGEST_JSON_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['digest'],
  properties: { digest: { type: 'string' } },
};

/** What a model was asked for a digest. */
export interface DigestTask {
  /** Its instruction. */
  instruction: string;
  /** What the digest may cite: the previous digest and the reports. */
  given: string;
  /** The language of digests, as English names it. */
  language: string;
}

/**
 * The digest of a model's answer, if it cites nothing that is not in `given` (no number, and no name), and
 * does not repeat the instruction. Throws {@link EndpointFault} for an answer that is not one.
 */
export function readDigest(text: string, { instruction, given, language }: DigestTask): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new EndpointFault('it is not JSON');
  }
  const result = digestAnswer(given).safeParse(value);
  if (!result.success) throw new EndpointFault(result.error.issues[0]?.message ?? 'it is not a digest');
  const { digest } = result.data;
  const isEnglish = /english/i.test(language);
  const [unknown] = [...unknownFacts(digest, given), ...unknownNames(digest, given, isEnglish)];
  if (unknown !== undefined) throw new EndpointFault(`it names ${unknown}, which the reports do not`);
  if (repeats(digest, instruction)) throw new EndpointFault('it repeats the instruction');
  return digest.trim();
}

/**
 * The names of `told` that `given` does not have: capitalised words within sentences, and in English also
 * those at the beginning of one that are not in a dictionary.
 */
function unknownNames(told: string, given: string, isEnglish: boolean): string[] {
  const known = new Set(given.toLowerCase().match(/[\p{L}\d]+/gu));
  const within = told.matchAll(/(?<=[\p{L}\d,;:)’'"]\s+)\p{Lu}[\p{L}\d]*/gu);
  const anywhere = isEnglish ? told.matchAll(/(?<![\p{L}\d])\p{Lu}[\p{L}\d]+/gu) : [];
  return [
    ...Array.from(within, ([name]) => name),
    ...Array.from(anywhere, ([name]) => name).filter((name) => !isEnglishWord(name)),
  ].filter((name) => !known.has(name.toLowerCase()));
}
