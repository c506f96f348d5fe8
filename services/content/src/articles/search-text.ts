import { streamSafe } from '@pressroom/common/fields/fields';
import { decodeHTML } from 'entities';
import { configs } from 'opencc-js/preset/t2cn';

/** Raise it with every change of what the functions below make: rows with less are made anew. */
export const FOLDING = 2;

const ASCII = /^[\0-\x7f]*$/;

/** White space that is not one space. */
const SPACES = /\s\s+|[^\S ]/gu;

/** Characters that are not seen: soft hyphens, joiners, marks of direction, variation selectors. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

const APOSTROPHES = /[‘’‚‛`´ʹʻʼʽʾʿˈ′‵׳]/g;
const QUOTES = /[“”„‟«»″‶〝〞〟「」『』״]/g;
const DASHES = /[‐-―−]/g;

/** Marks of alphabets that are read without them; the breve of й makes a letter of its own. */
const MARKS =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Cyrillic}]]--[\u0306\u3099\u309a]]|(?<!и)\u0306|\u0640/gv;

/** Letters that Unicode does not take apart, and forms of Arabic ones that are written for each other. */
const LETTERS = pairs(
  'æae œoe øo łl đd ðd ħh ŧt þth ŋn ĸk ٱا ىي یي کك ةه ۃه ہه ھه ەه',
  '٠0 ١1 ٢2 ٣3 ٤4 ٥5 ٦6 ٧7 ٨8 ٩9 ۰0 ۱1 ۲2 ۳3 ۴4 ۵5 ۶6 ۷7 ۸8 ۹9',
);
const LETTER = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g');

/** Traditional characters, each with its simplified one. */
const SIMPLIFIED = new Map(
  (configs.t2s?.conversionChain.flat() ?? [])
    .flatMap((dictionary) => (typeof dictionary === 'string' ? dictionary.split('|') : []))
    .map((line) => line.split(' ') as [string, string])
    .filter(([traditional]) => [...traditional].length === 1),
);
const CHINESE = /[\u3400-\u9fff\u{20000}-\u{3ffff}]/gu;

function pairs(...lines: string[]): Map<string, string> {
  return new Map(
    lines
      .join(' ')
      .split(' ')
      .map((pair) => [pair.charAt(0), pair.slice(1)]),
  );
}

/** The text as written, but for case, width, white space, kinds of quotes and dashes, and Chinese script. */
export function asWritten(text: string): string {
  const spaced = text.replace(SPACES, ' ');
  if (ASCII.test(spaced)) return spaced.toLowerCase().replaceAll('`', "'");
  return (
    streamSafe(spaced.replaceAll('´', "'"))
      .normalize('NFKC')
      .replace(UNSEEN, '')
      // In upper case first, which makes alike what has two forms in lower case, or none.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .replace(APOSTROPHES, "'")
      .replace(QUOTES, '"')
      .replace(DASHES, '-')
      .replace(CHINESE, (character) => SIMPLIFIED.get(character) ?? character)
      .normalize('NFC')
  );
}

/** The forms in which a search compares texts: as written, without accents, quotes and apostrophes. */
export function foldText(text: string): string {
  return foldWritten(asWritten(text));
}

/** Folds what {@link asWritten} has made. */
export function foldWritten(written: string): string {
  const bare = written.replaceAll(/['"]/g, '');
  if (ASCII.test(bare)) return bare;
  return bare
    .normalize('NFD')
    .replace(MARKS, '')
    .replace(LETTER, (letter) => LETTERS.get(letter) ?? letter)
    .normalize('NFC');
}

/** A word or quoted phrase of a search. */
export interface SearchTerm {
  /** As {@link foldText} makes it. */
  folded: string;
  /** Its words as written that folding changes, and those that it does not. */
  marked: string[];
  plain: string[];
}

/** A phrase between spaces; a quote within a word is one of its letters. */
const TERMS = /(?<=^|\s)"([^"]*)"(?=\s|$)|\S+/gu;

/** The distinct terms of a search that have something to be found by. */
export function searchTerms(query: string): SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (const [term, phrase] of query.replace(QUOTES, '"').matchAll(TERMS)) {
    const written = asWritten((phrase ?? term).trim());
    const words = wordsOf(written);
    terms.set(foldWritten(written), {
      folded: foldWritten(written),
      marked: words.filter((word) => foldWritten(word) !== word),
      plain: words.filter((word) => foldWritten(word) === word),
    });
  }
  terms.delete('');
  return [...terms.values()];
}

/**
 * The words of a text as written that folding changes and, on a second line, what it makes of them, but for
 * what the text also has as written: so a search knows what has its words exactly.
 */
export function formsOf(written: string): string {
  const words = wordsOf(written);
  const plain = new Set<string>();
  const changed = new Map<string, string>();
  for (const word of words) {
    const form = foldWritten(word);
    if (form === word) plain.add(word);
    else changed.set(word, form);
  }
  if (changed.size === 0) return '';
  const forms = new Set([...changed.values()].filter((form) => !plain.has(form)));
  return `${[...changed.keys()].join(' ')}\n${[...forms].join(' ')}`;
}

function wordsOf(written: string): string[] {
  return [...new Set(written.match(/[\p{L}\p{M}\p{N}]+(?:['"][\p{L}\p{M}\p{N}]+)*/gu))];
}

/** The text of HTML whose tags are gone (`content.text_without_tags`). */
export function decodeText(text: string): string {
  return (text.includes('&') ? decodeHTML(text) : text).replace(SPACES, ' ').trim();
}
