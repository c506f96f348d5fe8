import type { Reason } from '../api/imports.ts';
import type { Say } from '../text/texts.ts';

/** A reason in a sentence of the language. */
export function sentenceOf({ code, about }: Reason, say: Say): string {
  // `_other` ends the form of a count.
  return say(`reason_${code === 'other' ? 'unsaid' : code}`, { about: about ?? '?' });
}

/** Where something stands in a file. */
export function placeOf(place: string, say: Say): string {
  const [, kind, number] = /^(line|post) (\d+)$/.exec(place) ?? [];
  return kind === 'line' || kind === 'post' ? say(`place_${kind}`, { number: Number(number) }) : place;
}
