import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { FieldCode } from '@pressroom/common/failures/failure';
import { codePoints } from '@pressroom/common/fields/fields';
import { dictionary } from '@zxcvbn-ts/language-common';

const hash = promisify(argon2);

/** The argon2id parameters: memory in KiB, passes, lanes. */
interface Costs {
  memory: number;
  passes: number;
  parallelism: number;
}

/** A hashed password, the content of a PHC string. */
export interface PasswordHash extends Costs {
  salt: Buffer;
  tag: Buffer;
}

/** RFC 9106, section 4: the second recommended option, 64 MiB. */
const COSTS: Costs = { memory: 64 * 1024, passes: 3, parallelism: 4 };

/** The most memory that a hash may require, in KiB: 1 GiB. */
const MAX_MEMORY = 2 ** 20;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Parses a PHC string of argon2id version 19; undefined if it is not one, or requires more than 1 GiB. */
export function parsePasswordHash(phc: string): PasswordHash | undefined {
  const match = PHC.exec(phc);
  if (match === null) return undefined;
  const [memory = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);
  if (passes < 1 || parallelism < 1 || memory < 8 * parallelism || memory > MAX_MEMORY) return undefined;
  const [salt, tag] = match.slice(4).map((part) => Buffer.from(part, 'base64'));
  return salt && tag && { memory, passes, parallelism, salt, tag };
}

/** Writes a PHC string for `ADMIN_PASSWORD_HASH`. */
export function formatPasswordHash({ memory, passes, parallelism, salt, tag }: PasswordHash): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
}

/** Hashes a password with a new salt. */
export async function hashPassword(password: string, costs: Costs = COSTS): Promise<PasswordHash> {
  const salt = randomBytes(16);
  return { ...costs, salt, tag: await derive(password, costs, salt, 32) };
}

/** True if `password` is the one that was hashed; takes the same time if it is not. */
export async function isPassword(password: string, expected: PasswordHash): Promise<boolean> {
  const tag = await derive(password, expected, expected.salt, expected.tag.length);
  return timingSafeEqual(tag, expected.tag);
}

/** Hashed in its composed form (NFC), so that it does not matter on which keyboard it was typed. */
function derive(password: string, costs: Costs, salt: Buffer, length: number): Promise<Buffer> {
  const { memory, passes, parallelism } = costs;
  const message = password.normalize('NFC');
  return hash('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength: length });
}

/** The shortest password that may protect the gallery, in characters. */
const MIN_LENGTH = 12;

/** The most used passwords, some 49,000, in lower case. */
const MOST_USED = dictionary['passwords-common'];

/** The rule that a new password breaks; undefined for one that may protect the gallery. */
export function passwordRule(password: string): string | undefined {
  return passwordFault(password)?.rule;
}

/** The same, with the code of the fault. */
export function passwordFault(
  password: string,
): { code: FieldCode; rule: string; limit?: number } | undefined {
  const composed = password.normalize('NFC');
  if (codePoints(composed) < MIN_LENGTH) {
    return { code: 'too_short', limit: MIN_LENGTH, rule: `a password of at least ${MIN_LENGTH} characters` };
  }
  if (!MOST_USED.includes(composed.toLowerCase())) return undefined;
  return { code: 'too_common', rule: 'a password that is not one of the most used, which are guessed first' };
}

/** The fewest characters that a password has beside words that everybody knows of its owner. */
const MIN_OTHERS = 8;

/** True if little is left of a password without the words of these texts, such as its owner's name. */
export function isPersonal(password: string, texts: readonly string[]): boolean {
  const fold = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = texts
    .flatMap((text) => fold(text).split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word.length > 1);
  const longestFirst = words.sort((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ''), fold(password));
  return codePoints(rest) < MIN_OTHERS;
}
