import { z } from 'zod';
import { ChatFault } from './chat-endpoint.ts';
import { cleanText, unknownFacts } from './model-answer.ts';

/** The longest digest, in characters. */
const MOST_CHARACTERS = 2000;

/** What a model answers about a story. */
export const digestAnswer = z.strictObject({
  digest: cleanText(MOST_CHARACTERS).refine((text) => text.trim() !== '', 'must not be empty'),
});

/** The schema as JSON Schema, for endpoints that hold a model to it. */
export const DIGEST_JSON_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['digest'],
  properties: { digest: { type: 'string' } },
};

/**
 * The digest of a model's answer, if it cites nothing that is not in `given`: no number, and no name. Throws
 * {@link ChatFault} for an answer that is not one.
 */
export function readDigest(text: string, given: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ChatFault('it is not JSON');
  }
  const result = digestAnswer.safeParse(value);
  if (!result.success) throw new ChatFault(result.error.issues[0]?.message ?? 'it is not a digest');
  const { digest } = result.data;
  const [unknown] = [...unknownFacts(digest, given), ...unknownNames(digest, given)];
  if (unknown !== undefined) throw new ChatFault(`it names ${unknown}, which the reports do not`);
  return digest.trim();
}

/** The capitalised words within sentences that `given` does not have. */
function unknownNames(told: string, given: string): string[] {
  const known = new Set(given.toLowerCase().match(/[\p{L}\d]+/gu));
  return [...told.matchAll(/(?<=[\p{L}\d,;:)’'"]\s+)\p{Lu}[\p{L}\d]*/gu)]
    .map(([name]) => name)
    .filter((name) => !known.has(name.toLowerCase()));
}
