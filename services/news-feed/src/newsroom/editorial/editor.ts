import type { Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/**
 * When a source's items are selected: `all` and `none` whatever their score; `auto` by the editor's own
 * threshold; `minScore` by a threshold of the source's own, from 0 to 100.
 */
export type SelectRule = 'auto' | 'all' | 'none' | { minScore: number };

/** What editors set of a source (`newsroom sources`). */
export interface SubmissionSource {
  /** By which its part of what a day has is counted. */
  id: number;
  name: string;
  /** Whether it reports on its own work. */
  firstParty: boolean;
  /** How much it is trusted: 1 is ordinary, 0 nothing, 10 the most. */
  weight: number;
  /** The category of its items, of `NEWS_CATEGORIES`; null if the editor decides. */
  category: string | null;
  /** The directions of its items, of `NEWS_DIRECTIONS`; empty if the editor decides. */
  directions: readonly string[];
  select: SelectRule;
  /** What its rules add to the score of this submission. */
  points?: number;
}

/**
 * An article as a source tells it: plain text, without HTML. It is untrusted: whoever writes the feed chooses
 * every character.
 */
export interface Submission {
  title: string;
  /** At most three sentences. */
  summary: string | null;
  /** The text of the article's page, where the worker reads pages; else null. */
  text: string | null;
  /** The language that it is in (BCP 47); null if nothing says it. */
  language: string | null;
  /** The address of the article. */
  url: string;
  source: SubmissionSource;
  publishedAt: Date;
  discoveredAt: Date;
}

/** One addend of a score, by name, for `newsroom explain`. */
export interface ScoreTerm {
  name: string;
  /** What it adds to the score; negative if it takes away. */
  points: number;
  /** What it was computed from, for a person. */
  note?: string;
}

/** What an editor decides about a submission. */
export interface Judgement {
  /** A title in the site's language, if the editor translated it; the original is kept next to it. */
  title?: string;
  /** A summary in the site's language, of at most three sentences, likewise. */
  summary?: string;
  /** One of `NEWS_CATEGORIES`, or null. */
  category: string | null;
  /** Of `NEWS_DIRECTIONS`. */
  directions: readonly string[];
  /** From 0 to 100; null if it is not scored. */
  score: number | null;
  /** What the score consists of. */
  terms: readonly ScoreTerm[];
  selected: boolean;
  /** Why it was selected, for readers; null if it was not, or if there is nothing to say. */
  reason: string | null;
}

/** An item with what was decided about it. */
export interface JudgedItem {
  itemId: string;
  judgement: Judgement;
}

/**
 * Decides what becomes of the articles that the worker reads. Any number of workers call it at once.
 */
export interface Editor {
  /**
   * Judges a submission, outside any transaction, so it may take its time or ask a model. It is asked for new
   * articles, and again when a source has changed an article's title or summary. If it throws, the worker
   * tries again later with backoff, so a fault that lasts has to become a judgement.
   */
  judge(submission: Submission, signal: AbortSignal): Promise<Judgement>;
  /**
   * Keeps what explains the judgements, in the transaction that writes the items. It may be called again for
   * the same item, with a newer judgement.
   */
  keep(tx: Transaction<NewsTables>, judged: readonly JudgedItem[], now: Date): Promise<void>;
}
