/** Words that make up most of a text. */
const COMMON = 300;

/** One text in this many contains a given rare word. */
const RARE_EVERY = 20_000;

/** The first of the Chinese characters that words are made of, and how many there are. */
const FIRST_CHARACTER = 0x4e00;
const CHARACTERS = 1000;

export interface Vocabulary {
  /** `count` common words of the text with this number. */
  words: (n: number, count: number) => string[];
  common: (word: number) => string;
  /** A word that one text in some thousands has. */
  rare: (n: number) => string;
  /** A word that no text has. */
  absent: string;
}

function vocabulary(spell: (word: number) => string): Vocabulary {
  return {
    words: (n, count) => Array.from({ length: count }, (_, k) => spell(scatter(n * 31 + k) % COMMON)),
    common: spell,
    rare: (n) => spell(COMMON + (scatter(n) % RARE_EVERY)),
    absent: spell(COMMON + RARE_EVERY),
  };
}

/** Spreads neighbouring numbers over all 32-bit ones, so that no word comes at regular intervals. */
function scatter(n: number): number {
  let mixed = Math.imul(n ^ (n >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** `aaaing`, `aabing`, …: the number of the word in letters. */
export const LATIN = vocabulary((word) => {
  const letters = [...word.toString(26).padStart(3, '0')].map((digit) =>
    String.fromCharCode(97 + parseInt(digit, 26)),
  );
  return `${letters.join('')}ing`;
});

/** Words of two Chinese characters. */
export const CHINESE = vocabulary((word) =>
  String.fromCharCode(
    FIRST_CHARACTER + (word % CHARACTERS),
    FIRST_CHARACTER + CHARACTERS + Math.floor(word / CHARACTERS) + (word % 37) * 30,
  ),
);
