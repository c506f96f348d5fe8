import type { Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** An item that may belong to a story. */
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

/** Inserts items, each in the story that `storyOf` says; null: it has none. */
export type InsertItems = (storyOf: (itemId: string) => string | null) => Promise<void>;

/** Finds the stories that items report on. */
export interface StoryAssigner {
  /**
   * Puts each new item into its story, one that was there or one that it creates, in the order of
   * publication; an item may stay without a story. It runs in the transaction that writes the items, lets
   * `insert` do that once their stories are there, and may give other items, which had no story, the same
   * one. Any number of workers ask at once; the worker runs the transaction again if it loses a race
   * (`isLostRace`).
   */
  assign(
    tx: Transaction<NewsTables>,
    items: readonly AssignableItem[],
    now: Date,
    insert: InsertItems,
  ): Promise<void>;
  /**
   * Lets items that were edited be found by what they say now, and their stories tell it; they stay in these.
   * It runs in the transaction that edits them, after `assign`.
   */
  renew(tx: Transaction<NewsTables>, reports: readonly ChangedReport[], now: Date): Promise<void>;
}
