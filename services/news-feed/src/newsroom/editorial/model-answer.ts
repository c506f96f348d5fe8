import { z } from 'zod';
import type { Submission } from './editor.ts';

/** The longest texts of an answer, in characters. */
const MOST = { title: 300, summary: 1200, reason: 300 };

/** Links, markup and control characters, which no answer needs. */
const FOREIGN = /https?:|www\.|:\/\/|[<>{}]|\]\(|(?![\n\r\t])[\p{Cc}\p{Cf}]/iu;

/** Names of sites, handles and long numbers: an answer needs only those of its article. */
const ADDRESS =
  /(?<![a-z0-9-])(?:[a-z0-9-]+\.)+(?:com|net|org|io|cn|example|test|ru|xyz|top)\b(?:(?:\/|:\d)\S*)?|\d{7,}|@\w+/giu;

/** Words that belong to an instruction and not to news. */
const INSTRUCTION =
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|prompt|rule|above|previous)|system prompt|you are (?:now|an? (?:ai|assistant|editor))|as an ai|忽略.{0,12}(?:指令|指示|提示|规则|以上|之前)|系统提示|你现在是|从现在起你/iu;

/** How many successive words of the instruction an answer may repeat. */
const REPEATED_WORDS = 6;

/** A summary has at most this many sentences. */
const SENTENCES = 3;

/** What a model answers about a submission. */
export interface ModelAnswer {
  title: string;
  summary: string | null;
  category: string | null;
  score: number;
  reason: string;
}

/** The names of sites, handles and long numbers of a text, in lower case. */
export function addressesOf(text: string): string[] {
  return (text.match(ADDRESS) ?? []).map((address) => address.toLowerCase());
}

/**
 * Text of a model that readers may see: without links, markup or instructions, and with no addresses but
 * `own` ones.
 */
export function cleanText(most: number, own: readonly string[]): z.ZodString {
  return z
    .string()
    .max(most)
    .refine((text) => !FOREIGN.test(text), 'must not have links or markup')
    .refine(
      (text) => addressesOf(text).every((address) => own.includes(address)),
      'must not have addresses that the article does not have',
    )
    .refine((text) => !INSTRUCTION.test(text), 'must not be an instruction');
}

/** The addresses of a submission. A phone number that stands only in untrusted text is never published. */
function ownAddresses({ title, summary, source }: Submission): string[] {
  const others = addressesOf(`${summary ?? ''}\n${source.name}`).filter((address) => !/^\d+$/.test(address));
  return [...addressesOf(title), ...others];
}

/** The schema of an answer about a submission: nothing but its members, no category outside the list. */
export function answerSchema(categories: readonly string[], submission: Submission): z.ZodType<ModelAnswer> {
  const own = ownAddresses(submission);
  return z.strictObject({
    title: cleanText(MOST.title, own)
      .overwrite(oneLine)
      .refine((text) => text.trim() !== '', 'must not be empty'),
    summary: cleanText(MOST.summary, own)
      .overwrite(oneLine)
      .refine((text) => sentencesOf(text) <= SENTENCES, 'too many sentences')
      .nullable(),
    category: z.enum(categories).nullable(),
    score: z.number().min(0).max(100),
    reason: cleanText(MOST.reason, own).overwrite(oneLine),
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** The schema as JSON Schema, for endpoints that hold a model to it. */
export function answerJsonSchema(categories: readonly string[]): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['title', 'summary', 'category', 'score', 'reason'],
    properties: {
      title: { type: 'string' },
      summary: { type: ['string', 'null'] },
      category: { enum: [...categories, null] },
      score: { type: 'number', minimum: 0, maximum: 100 },
      reason: { type: 'string' },
    },
  };
}

/** Whether a text reads like an instruction to a model. */
export function readsLikeInstruction(text: string): boolean {
  return INSTRUCTION.test(text);
}

/**
 * Why an answer cannot be about this submission, or undefined: it names numbers or Latin names that the
 * submission does not have, or repeats the instruction.
 */
export function foreignContent(
  { title, summary, reason }: ModelAnswer,
  submission: Submission,
  instruction: string,
): string | undefined {
  const given = `${submission.title}\n${submission.summary ?? ''}\n${submission.text ?? ''}\n${submission.source.name}`;
  const told = `${title}\n${summary ?? ''}`;
  const unknown = unknownFacts(told, given);
  if (unknown.length > 0) return `it names ${unknown[0]}, which the article does not`;
  if (repeats(`${told}\n${reason}`, instruction)) return 'it repeats the instruction';
  return undefined;
}

/** The numbers of `told` that `given` does not have, and in a Chinese text the names in Latin letters. */
export function unknownFacts(told: string, given: string): string[] {
  const known = given.normalize('NFKC').toLowerCase();
  const numbers = new Set(numbersOf(known).flatMap(({ values }) => values));
  const missing = numbersOf(told.normalize('NFKC').toLowerCase())
    .filter(({ values }) => Math.max(...values) > 12 && !values.some((value) => numbers.has(value)))
    .map(({ text }) => text);
  const names = /\p{Script=Han}/u.test(told) ? (told.match(/[A-Za-z][A-Za-z0-9]{2,}/gu) ?? []) : [];
  // Every editor shortens artificial intelligence.
  const strange = names.filter(
    (name) => !known.includes(name.toLowerCase()) && !/^(?:AI|CEO|IPO|GPU|API|LLM)$/iu.test(name),
  );
  return [...missing, ...strange];
}

/** Magnitudes as languages write them; the same word may be two. */
const MAGNITUDES: readonly (readonly [RegExp, number])[] = [
  [/^(?:thousand|k|tausend|mille|mila|mil|тыс\p{L}*|nghìn|ngàn|千)$/u, 1e3],
  [/^(?:万)$/u, 1e4],
  [
    /^(?:millions?|m|mn|millionen|mio|mill(?:ones|ón)|milh(?:ões|ão)|milion[ei]|млн|миллион\p{L}*|triệu|百万)$/u,
    1e6,
  ],
  [/^(?:千万)$/u, 1e7],
  [/^(?:亿)$/u, 1e8],
  [
    /^(?:billions?|b|bn|milliarden?|mrd|milliards?|mil millones|bilh(?:ões|ão)|miliard[io]|млрд|миллиард\p{L}*|tỷ|tỉ)$/u,
    1e9,
  ],
  [/^(?:trillions?|billion(?:en)?|billones|trilh(?:ões|ão)|трлн|триллион\p{L}*|万亿)$/u, 1e12],
];

const NUMBER =
  /(?<digits>\d{1,3}(?:[ ’']\d{3})+(?!\d)|\d+(?:[.,]\d+)*)(?:\s?(?<magnitude>万亿|千万|百万|亿|万|千|mil millones|\p{L}+))?/gu;

/** The numbers of a text, each with all values that it may have where points and commas differ. */
function numbersOf(text: string): { text: string; values: number[] }[] {
  return Array.from(text.matchAll(NUMBER), ({ groups: { digits = '', magnitude = '' } = {} }) => {
    const factors = MAGNITUDES.filter(([word]) => word.test(magnitude)).map(([, factor]) => factor);
    const values = valuesOf(digits).flatMap((value) =>
      (factors.length === 0 ? [1] : factors).map((factor) => Number((value * factor).toPrecision(12))),
    );
    return { text: digits, values };
  });
}

/** 1.234,5 and 1,234.5 are one number; 1.234 may be two. */
function valuesOf(digits: string): number[] {
  const plain = digits.replace(/[ ’']/gu, '');
  const grouped = /^\d{1,3}(?:[.,]\d{3})+$/u.test(plain) ? [plain.replace(/[.,]/gu, '')] : [];
  const [, whole = plain, part] = /^(.*)[.,](\d+)$/u.exec(plain) ?? [];
  return [...grouped, `${whole.replace(/[.,]/gu, '')}${part === undefined ? '' : `.${part}`}`].map(Number);
}

/** Whether a text repeats several successive words of the instruction. */
export function repeats(text: string, instruction: string): boolean {
  const words = instruction.toLowerCase().split(/\s+/u);
  const told = text.toLowerCase().split(/\s+/u).join(' ');
  return words.some(
    (_, at) =>
      at + REPEATED_WORDS <= words.length && told.includes(words.slice(at, at + REPEATED_WORDS).join(' ')),
  );
}

function sentencesOf(text: string): number {
  const language = /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
  return [...new Intl.Segmenter(language, { granularity: 'sentence' }).segment(text)].length;
}
