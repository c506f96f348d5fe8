import type { Article } from '@pressroom/client';

export type { Article };

/** A category, tag or author, as articles name it. */
export interface Term {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

export type TermKind = 'tags' | 'authors';

/** The key that saved something, if one did. */
interface KeyName {
  readonly name: string | null;
}

/** Somebody to whom articles can be assigned. */
export interface Assignable {
  readonly name: string;
  readonly authorId: number;
}

/** The states of a draft while the desk decides about it. */
export const REVIEW_STATES = ['submitted', 'returned', 'approved'] as const;

export type ReviewState = (typeof REVIEW_STATES)[number];

/** A step of a review. */
export interface ReviewStep {
  readonly state: ReviewState;
  readonly comment: string | null;
  readonly at: string;
  readonly key: KeyName | null;
  /** True if the text was changed after it was approved. */
  readonly is_change: boolean;
  /** True if the draft was planned until it was sent back. */
  readonly ends_plan: boolean;
}

export interface Review {
  readonly state: ReviewState | 'none';
  /** The latest last. */
  readonly steps: readonly ReviewStep[];
  /** The states to which the person may bring it. */
  readonly may: readonly (ReviewState | 'none')[];
}

/** A fault of an article, and when it was corrected. */
export interface Correction {
  readonly at: string;
  readonly text: string;
}

/** A link to a page that readers do not find, of the site or of another one. */
export interface BrokenLink {
  readonly url: string;
  readonly fault: 'missing' | 'draft' | `external_${'missing' | 'unanswered' | 'unchecked'}`;
}

/** Changes of a published article that readers do not see yet. */
export interface WorkingCopy {
  readonly saved_at: string;
  readonly key: KeyName | null;
  readonly changes: Readonly<Record<string, unknown>>;
}

/** A revision in the history of an article. */
export interface Revision {
  readonly revision: number;
  readonly created_at: string;
  readonly key: KeyName | null;
  /** The members that it changed; null if that is not known. */
  readonly changed: readonly string[] | null;
  /** True if readers have seen it. */
  readonly is_published: boolean;
}

/** An article as a list shows it. */
export interface ListedArticle {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly slug: string;
  /** The address of the featured picture. */
  readonly picture: string | null;
  readonly category: string | null;
  readonly assignee?: string | undefined;
  /** The number of unresolved ones. */
  readonly comments?: number;
  readonly state: 'published' | 'draft' | 'scheduled' | 'deleted' | ReviewState;
  /** When it was last changed, in ms since 1970; the schedule and the trash do not say. */
  readonly changedAt?: number;
  /** When it was published or will be, else when it got into its state, in ms since 1970; NaN for drafts. */
  readonly at: number;
}

export interface TrashSize {
  readonly count: number;
  /** False if there may be more. */
  readonly isExact: boolean;
  /** When the last one was deleted; undefined if there is none. */
  readonly until: string | undefined;
}

export type StatusFilter = 'all' | 'published' | 'draft' | ReviewState | 'scheduled' | 'trash';

/** The number of articles in each state, as far as it is known. */
export type StateCounts = Readonly<Partial<Record<StatusFilter, number>>>;

/** The orders of the list, the usual one first. */
export const SORTS = ['updated', 'updated_asc', 'newest', 'oldest', 'title', 'title_desc'] as const;

export type Sort = (typeof SORTS)[number];

export interface ListQuery {
  readonly sort: Sort;
  readonly status: StatusFilter;
  readonly text: string;
  readonly category: string;
  readonly tag: string;
  readonly author: string;
  /** Only what is by whoever is logged in, or assigned to them. */
  readonly mine: boolean;
}

export interface ListPage {
  readonly articles: readonly ListedArticle[];
  /** The start of the next page; undefined at the end. */
  readonly next: string | undefined;
  /** The number of articles in all, if it is known. */
  readonly total: number | undefined;
  /** True if there may be more than `total`. */
  readonly isInexact?: boolean;
}

export interface SiteFacts {
  readonly person: string;
  /** Folders of the gallery that anybody may read. */
  readonly publicPrefixes: readonly string[];
  /** The address of an article's page, with `{slug}` or `{id}` in it; undefined if it is not configured. */
  readonly articlePage: string | undefined;
  readonly state: 'ready' | 'unavailable' | 'refused' | 'not_configured';
}
