import type { Kysely } from 'kysely';
import type { LimitFunction } from 'p-limit';
import pLimit from 'p-limit';
import { Failure } from '../failures/failure.ts';

/** Limits how many searches run at once, so that they cannot take the whole database. */
export class SearchGate<Tables> {
  readonly #db: Kysely<Tables>;
  readonly #limit: LimitFunction;

  /** @param db where searches run: separate connections, with a time limit */
  constructor(db: Kysely<Tables>, most: number) {
    this.#db = db;
    this.#limit = pLimit(most);
  }

  /** Runs `search`. Throws a {@link Failure} if too many others are running. */
  async run<T>(search: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { activeCount, pendingCount, concurrency } = this.#limit;
    if (activeCount + pendingCount >= concurrency) {
      throw new Failure('unavailable', 'too many searches are running; try again later', {
        reason: 'busy',
      });
    }
    return this.#limit(() => search(this.#db));
  }
}

/** The distinct words of a search, separated by Unicode white space. */
export function searchWords(query: string): string[] {
  return [...new Set(query.split(/\s+/u).filter((word) => word !== ''))];
}

/** A word with a piece by which it can be found: three letters, or two characters of which one is Chinese. */
const FINDABLE = /...|.[\u{2e80}-\u{10ffff}]|[\u{2e80}-\u{10ffff}]./u;

/**
 * True if texts with the word can be found by its pieces (`pressroom.text_pieces`), for which it is folded
 * first. JavaScript has no case folding, which makes a letter its lower or its upper case, or longer.
 */
export function hasPieces(word: string): boolean {
  const parts = word.normalize('NFKC').split(' ');
  return parts.some((part) => FINDABLE.test(part.toLowerCase()) && FINDABLE.test(part.toUpperCase()));
}
