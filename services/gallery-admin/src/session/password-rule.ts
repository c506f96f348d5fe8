import { codePoints } from '@pressroom/common/fields/text';
import { dictionary } from '@zxcvbn-ts/language-common';

/** The shortest password that may protect the gallery, in characters. */
const MIN_LENGTH = 12;

/** The most used passwords, some 49,000, in lower case. */
const MOST_USED = dictionary['passwords-common'];

/** What a new password has to be instead; undefined for one that may protect the gallery. */
export function passwordRule(password: string): string | undefined {
  const composed = password.normalize('NFC');
  if (codePoints(composed) < MIN_LENGTH) return `a password of at least ${MIN_LENGTH} characters`;
  if (!MOST_USED.includes(composed.toLowerCase())) return undefined;
  return 'a password that is not one of the most used, which are guessed first';
}
