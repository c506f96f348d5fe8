import type { Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** A stored item that may belong to a story. */
export interface AssignableItem {
  id: string;
  title: string;
  /** The title in the source's language, if `title` is a translation. */
  originalTitle: string | null;
  summary: string | null;
  sourceName: string;
  category: string | null;
  publishedAt: Date;
  discoveredAt: Date;
}

/** A stored item that its source has edited. */
export interface ChangedReport extends AssignableItem {
  /** Its title before. */
  formerTitle: string;
}

/** Finds the stories that items report on. */
export interface StoryAssigner {
  /**
   * Puts each item into its story, one that was there or one that it creates, in the order of `items`; an
   * item may stay without a story. It runs in the transaction that writes the items, after their rows are
   * there, and may give other items, which had no story, the same one. It is asked once for each new item,
   * and any number of workers ask at once; the worker runs the transaction again if it loses a race
   * (`isLostRace`).
   */
  assign(tx: Transaction<NewsTables>, items: readonly AssignableItem[], now: Date): Promise<void>;
  /**
   * Lets items that were edited be found by what they say now, and their stories tell it; they stay in these.
   * It runs in the transaction that edits them, after `assign`.
   */
  renew(tx: Transaction<NewsTables>, reports: readonly ChangedReport[], now: Date): Promise<void>;
}
