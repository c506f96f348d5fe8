import { z } from 'zod';
import { primaryLanguage } from '../../words.ts';
import { EndpointFault } from '../models/model-endpoint.ts';
import { jsonOf } from './chat-endpoint.ts';
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
  /** The language of digests (BCP 47). */
  language: string;
  /** The languages of the reports, as far as they are known. */
  languages: readonly (string | null)[];
}

/**
 * The digest of a model's answer, if it cites nothing that is not in `given` (no number, and no name in its
 * own language), and does not repeat the instruction. Throws {@link EndpointFault} for an answer that is not
 * one.
 */
export function readDigest(text: string, { instruction, given, language, languages }: DigestTask): string {
  const value = jsonOf(text);
  if (value === undefined) throw new EndpointFault('it is not JSON');
  const result = digestAnswer(given).safeParse(value);
  if (!result.success) throw new EndpointFault(result.error.issues[0]?.message ?? 'it is not a digest');
  const { digest } = result.data;
  const own = primaryLanguage(language);
  // Names have other spellings in another language, and German has capitals for every noun.
  const hasNames =
    !CAPITAL_NOUNS.has(own) && languages.every((one) => one === null || primaryLanguage(one) === own);
  const strange = [
    ...unknownFacts(digest, given),
    ...(hasNames ? unknownNames(digest, given, own === 'en') : []),
  ];
  const [unknown] = strange;
  if (unknown !== undefined) throw new EndpointFault(`it names ${unknown}, which the reports do not`);
  if (repeats(digest, instruction)) throw new EndpointFault('it repeats the instruction');
  return digest.trim().replace(/[^\S\n]*\n\s*/gu, '\n\n');
}

/** Languages that write all nouns with a capital. */
const CAPITAL_NOUNS: ReadonlySet<string> = new Set(['de', 'lb']);

const CALENDAR = new Set(
  'january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday'.split(
    ' ',
  ),
);

/**
 * The names of `told` that `given` does not have: capitalised words within sentences, and in English also
 * those at the beginning of one that are not in a dictionary.
 */
function unknownNames(told: string, given: string, isEnglish: boolean): string[] {
  const known = [...new Set(given.toLowerCase().match(/[\p{L}\d]+/gu))];
  const within = told.matchAll(/(?<=[\p{L}\d,;:)’'"]\s+)\p{Lu}[\p{L}\d]*/gu);
  const anywhere = isEnglish ? told.matchAll(/(?<![\p{L}\d])\p{Lu}[\p{L}\d]+/gu) : [];
  return [
    ...Array.from(within, ([name]) => name),
    ...Array.from(anywhere, ([name]) => name).filter((name) => !isEnglishWord(name)),
  ].filter((name) => {
    const lower = name.toLowerCase();
    return !CALENDAR.has(lower) && !known.some((word) => isForm(lower, word));
  });
}

/** Whether two words are forms of one name: Путин and Путина, China and Chinese. */
function isForm(a: string, b: string): boolean {
  const least = Math.max(Math.min(4, a.length - 1), a.length - 3);
  return a === b || (least >= 3 && b.startsWith(a.slice(0, least)));
}
