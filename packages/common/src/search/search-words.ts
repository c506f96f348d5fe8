/** The distinct words of a search, separated by Unicode white space. */
export function searchWords(query: string): string[] {
  return [...new Set(query.split(/\s+/u).filter((word) => word !== ''))];
}

/** A word with a piece by which it can be found: three letters, or two characters of which one is Chinese. */
const FINDABLE = /...|.[\u{2e80}-\u{10ffff}]|[\u{2e80}-\u{10ffff}]./u;

/**
 * Whether texts with the word can be found by its pieces (`pressroom.text_pieces`), for which it is folded
 * first. JavaScript has no case folding, which makes a letter its lower or its upper case, or longer.
 */
export function hasPieces(word: string): boolean {
  const parts = word.normalize('NFKC').split(' ');
  return parts.some((part) => FINDABLE.test(part.toLowerCase()) && FINDABLE.test(part.toUpperCase()));
}
