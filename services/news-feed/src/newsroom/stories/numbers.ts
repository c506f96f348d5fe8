/** The values of magnitudes, in English and Chinese. */
const MAGNITUDES: Record<string, number> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  million: 1e6,
  bn: 1e9,
  b: 1e9,
  billion: 1e9,
  trillion: 1e12,
  千: 1e3,
  万: 1e4,
  百万: 1e6,
  千万: 1e7,
  亿: 1e8,
  万亿: 1e12,
};

/** The part of a pattern that matches a magnitude behind a number. */
export const MAGNITUDE_PATTERN =
  '(?:\\s?(?:thousand|million|billion|trillion|mn|bn)\\b|[kmb]\\b|\\s?(?:万亿|千万|百万|亿|万|千))';

/** English number words that news writes out. */
const ENGLISH_WORDS = new Map(
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, index) => [word, index + 2]),
);

const CHINESE_DIGITS = new Map([...'零一二三四五六七八九'].map((digit, value) => [digit, value]));
const CHINESE_UNITS = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1000],
]);
const CHINESE_MYRIADS = new Map([
  ['万', 1e4],
  ['亿', 1e8],
]);

/** The value of digits with an optional magnitude: `4.2` and `亿` are 420,000,000. */
export function numberOf(digits: string, magnitude = ''): number {
  const value = Number(digits.replaceAll(',', ''));
  const scaled = value * (MAGNITUDES[magnitude.trim().toLowerCase()] ?? 1);
  // 4.2 × 10⁸ has to be the number that 420 × 10⁶ is.
  return Number(scaled.toPrecision(12));
}

/** The value of an English number word from two to twenty, else undefined. */
export function englishNumber(word: string): number | undefined {
  return ENGLISH_WORDS.get(word);
}

/** The value of a number written in Chinese characters, such as 二十一 or 三千万; undefined if it is not one. */
export function chineseNumber(text: string): number | undefined {
  let total = 0;
  let section = 0;
  let digit: number | undefined;
  for (const character of text.replaceAll('两', '二')) {
    const unit = CHINESE_UNITS.get(character);
    const myriad = CHINESE_MYRIADS.get(character);
    if (unit !== undefined) {
      section += (digit ?? 1) * unit;
      digit = undefined;
    } else if (myriad !== undefined) {
      total += (section + (digit ?? 0) || 1) * myriad;
      section = 0;
      digit = undefined;
    } else {
      digit = CHINESE_DIGITS.get(character);
      if (digit === undefined) return undefined;
    }
  }
  return total + section + (digit ?? 0);
}
