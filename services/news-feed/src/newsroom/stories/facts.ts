import { stemmer } from '@orama/stemmers/english';
import type { Lexicon } from './lexicon.ts';
import { englishNumber, MAGNITUDE_PATTERN, numberOf } from './numbers.ts';

/** A number or a name that a report gives, with what it is about. */
export interface Fact {
  /** What it is about, for comparing: `=dead` of “11 dead” and of 14 人死亡. */
  about: string;
  /** The number or name, for comparing. */
  value: string;
  /** As the report has it. */
  quote: string;
}

const TIME = /^(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|am|pm|percent)$/iu;

const ENGLISH_NUMBER = new RegExp(
  String.raw`(?<sign>[$€£¥])?(?<![\p{L}\d.])(?<digits>\d+(?:,\d{3})*(?:\.\d+)?|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)\b)(?<magnitude>${MAGNITUDE_PATTERN})?(?:[ -](?<next>\p{Script=Latin}+))?`,
  'giu',
);

const CHINESE_NUMBER = new RegExp(
  String.raw`(?<before>\p{Script=Han}{0,8})\s?(?<digits>\d+(?:,\d{3})*(?:\.\d+)?)(?<magnitude>${MAGNITUDE_PATTERN})?\s?(?<measure>美元|欧元|日元|元|人|名|家|辆|级|公里|个)(?<after>\p{Script=Han}{0,4})`,
  'giu',
);

/** Who holds a post: “chief executive Mara Ellison”, 首席执行官 Mara Ellison. */
const ENGLISH_POST =
  /\b(?<post>chief executive|CEO|president|prime minister|minister|chairman|chairwoman|founder|led by|director)(?: named| is)? (?<name>\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)+)/giu;
const CHINESE_POST =
  /(?<post>首席执行官|总裁|董事长|总理|总统|部长|创始人)\s?(?<name>\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*)/gu;

/**
 * The numbers and names of a text, each with what it is about. What it is about is a guess by its neighbours.
 */
export function factsOf(text: string, lexicon: Lexicon): Fact[] {
  const facts = /\p{Script=Han}/u.test(text) ? chineseFacts(text, lexicon) : englishFacts(text, lexicon);
  const posts = [...text.matchAll(ENGLISH_POST), ...text.matchAll(CHINESE_POST)].flatMap(({ groups }) => {
    const { post = '', name = '' } = groups ?? {};
    // The flags let a lower-case letter pass as a capital.
    if (!/^\p{Lu}/u.test(name)) return [];
    const meaning = lexicon.latin.get(post.toLowerCase()) ?? lexicon.chinese.get(post);
    return [
      { about: meaning?.term ?? post.toLowerCase(), value: name.toLowerCase(), quote: `${post} ${name}` },
    ];
  });
  return [...facts, ...posts];
}

function englishFacts(text: string, lexicon: Lexicon): Fact[] {
  return [...text.matchAll(ENGLISH_NUMBER)].flatMap((match) => {
    const { sign = '', digits = '', magnitude, next = '' } = match.groups ?? {};
    const before = text.slice(0, match.index).match(/(\p{L}+)(?: \p{L}+){0,2} $/u)?.[1] ?? '';
    if (TIME.test(next) || /^(?:19|20)\d\d$/u.test(digits)) return [];
    const value = String(englishNumber(digits.toLowerCase()) ?? numberOf(digits, magnitude));
    const subject = meaningOf(next, lexicon) ?? meaningOf(before, lexicon);
    const about =
      sign || subject || (next === '' ? stemmer(before.toLowerCase()) : stemmer(next.toLowerCase()));
    return about === '' ? [] : [{ about: `${sign}${about}`, value, quote: match[0].trim() }];
  });
}

function chineseFacts(text: string, lexicon: Lexicon): Fact[] {
  return [...text.matchAll(CHINESE_NUMBER)].map((match) => {
    const { before = '', digits = '', magnitude, measure = '', after = '' } = match.groups ?? {};
    const value = String(numberOf(digits, magnitude));
    const subject = [...lexicon.chinese].find(
      ([spelling]) => after.startsWith(spelling) || before.includes(spelling),
    );
    const about = subject?.[1].term ?? measure;
    return {
      about,
      value,
      quote: `${digits}${magnitude ?? ''}${measure}${subject && after.startsWith(subject[0]) ? subject[0] : ''}`,
    };
  });
}

function meaningOf(word: string, lexicon: Lexicon): string | undefined {
  const lower = word.toLowerCase();
  const meaning = lexicon.latin.get(lower) ?? lexicon.latin.get(lower.replace(/s$/u, ''));
  return meaning?.kind === 'concept' ? meaning.term : undefined;
}
