import type { Kysely, Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { NewsTables } from '../../tables.ts';
import type { Lexicon } from './lexicon.ts';
import { type SourceText, withoutName } from './shared-parts.ts';
import { type Found, findCandidates } from './story-index.ts';
import type { IndexedText, Reading } from './term-rarity.ts';
import type { TitleVectors } from './title-vectors.ts';

/** How many texts are remembered: a batch of entries of each source that a worker edits at once. */
const REMEMBERED = 200;

/** How long they are, in ms: what a search has found takes memory. */
const REMEMBERED_MS = 60_000;

/** What the index has on some texts. */
export interface StorySearchResult {
  found: Found[];
  /** The last number of the index that was searched; `reportsAfter` has what was added since. */
  through: number;
}

/**
 * Searches the index for the reports that texts resemble. What was found lately is used again: the editor
 * asks for an article's coverage, and shortly afterwards the assigner for the stories of the same text.
 */
export class StorySearch {
  readonly reading: Reading;
  readonly #titles: TitleVectors | undefined;
  readonly #known = new LRUCache<string, { found: Found; through: number }>({
    max: REMEMBERED,
    ttl: REMEMBERED_MS,
    ttlAutopurge: true,
  });

  constructor(lexicon: Lexicon, titles?: TitleVectors) {
    this.#titles = titles;
    this.reading = { lexicon, vectorOf: (text) => titles?.of(titleOf(text)) };
  }

  /** Has the titles of texts that are to be searched for embedded, outside any transaction. */
  async prepare(texts: readonly SourceText[]): Promise<void> {
    await this.#titles?.read(texts.map(titleOf));
  }

  /** What the index has on each text, as it is now, and remembers it. */
  async find(db: Kysely<NewsTables>, texts: readonly IndexedText[]): Promise<StorySearchResult> {
    const { found, through } = await findCandidates(db, texts, this.reading);
    for (const [index, text] of texts.entries()) {
      const one = found[index];
      if (one !== undefined) this.#known.set(keyOf(text), { found: one, through });
    }
    return { found, through };
  }

  /** The same, as it is now or was a moment ago; what was remembered is forgotten. */
  async findLately(tx: Transaction<NewsTables>, texts: readonly IndexedText[]): Promise<StorySearchResult> {
    const known = texts.flatMap((text) => this.#take(keyOf(text)) ?? []);
    if (known.length < texts.length) return findCandidates(tx, texts, this.reading);
    return { found: known.map(({ found }) => found), through: Math.min(...known.map((one) => one.through)) };
  }

  #take(key: string) {
    const known = this.#known.get(key);
    this.#known.delete(key);
    return known;
  }
}

/** The title as its source has it: the same before and after a translation. */
function titleOf({ title, originalTitle, sourceName }: SourceText): string {
  return withoutName(originalTitle ?? title, sourceName);
}

function keyOf({ title, originalTitle, summary, publishedAt, sourceName }: IndexedText): string {
  return JSON.stringify([title, originalTitle, summary, publishedAt, sourceName]);
}
