/** A character that takes the room of two. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}！-｠]/u;

/** The length of a text as search engines and networks cut it: a Chinese character takes the room of two. */
export function shownLength(text: string): number {
  return [...text].reduce((sum, one) => sum + (WIDE.test(one) ? 2 : 1), 0);
}

/**
 * The length of a text beside the most that is shown, both in its own characters: a Chinese text is cut after
 * half as many as an English one.
 */
export function shownOf(text: string, most: number): { length: number; most: number } {
  const room = shownLength(text);
  const wideRoom = 2 * (room - [...text].length);
  const isWide = wideRoom > room / 2;
  return isWide ? { length: Math.ceil(room / 2), most: Math.floor(most / 2) } : { length: room, most };
}

/** The beginning of a text that takes the room of `most` characters, with an ellipsis where it is cut. */
export function cutAfter(text: string, most: number): string {
  if (shownLength(text) <= most) return text;
  let [kept, room] = ['', most - 1];
  for (const one of text) {
    room -= shownLength(one);
    if (room < 0) break;
    kept += one;
  }
  return `${kept.trimEnd()}…`;
}

/** The lengths at which titles and texts are cut, in Latin characters: a result has room for about 600 px. */
export const SHOWN = {
  search: { title: 60, text: 160 },
  social: { title: 70, text: 125 },
} as const;
