import type { Kysely } from 'kysely';
import pLimit from 'p-limit';
import type { NewsTables } from '../../tables.ts';
import { SAME_EVENT } from '../stories/likeness.ts';
import type { Candidate } from '../stories/story-index.ts';
import type { StorySearch } from '../stories/story-search.ts';
import type { Submission } from './editor.ts';

/** Days within which other sources count as coverage. */
const COVERAGE_DAYS = 14;

/** The most submissions that one search is for. */
const MOST_AT_ONCE = 25;

/** What coverage is read of. */
type Covered = Pick<Submission, 'title' | 'summary' | 'source' | 'publishedAt'>;

/** Somebody who waits for the coverage of a submission. */
interface Waiting {
  submission: Covered;
  resolve: (coverage: number) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads how many other sources report on the event of a submission. Those that are asked about at the same
 * moment, as a batch of a feed's entries is, share one search.
 */
export class CoverageReader {
  readonly #db: Kysely<NewsTables>;
  readonly #search: StorySearch;
  /** The database is also what answers readers. */
  readonly #turn = pLimit(1);
  #waiting: Waiting[] = [];

  constructor(db: Kysely<NewsTables>, search: StorySearch) {
    this.#db = db;
    this.#search = search;
  }

  /** How many other sources report on the same event. */
  of(submission: Covered): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ submission, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#answer(this.#waiting.splice(0)));
    });
  }

  #answer(waiting: readonly Waiting[]): void {
    for (let start = 0; start < waiting.length; start += MOST_AT_ONCE) {
      const batch = waiting.slice(start, start + MOST_AT_ONCE);
      const read = () => this.#read(batch.map(({ submission }) => submission));
      this.#turn(read).then(
        (counts) => {
          for (const [index, { resolve }] of batch.entries()) resolve(counts[index] ?? 0);
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error);
        },
      );
    }
  }

  async #read(submissions: readonly Covered[]): Promise<number[]> {
    const texts = submissions.map(({ title, summary, publishedAt, source }) => ({
      sourceName: source.name,
      title,
      originalTitle: null,
      summary,
      publishedAt,
    }));
    await this.#search.prepare(texts);
    const { found } = await this.#search.find(this.#db, texts);
    return found.map(({ candidates }, index) => {
      const own = submissions[index]?.source.name;
      const others = candidates.filter((candidate) => isCoverage(candidate) && candidate.source !== own);
      return new Set(others.map(({ source }) => source)).size;
    });
  }
}

function isCoverage({ score, evidence }: Candidate): boolean {
  return score >= SAME_EVENT && evidence.days <= COVERAGE_DAYS;
}
