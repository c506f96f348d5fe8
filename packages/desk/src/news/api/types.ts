/** A page of a list; `nextCursor` leads to the next one. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly nextCursor: string | null;
}

/** What was read, with what a write sends so that it fails if it has been changed since. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly etag: string | null;
}

/** A category or a direction, and how readers see it. */
export interface Term {
  readonly name: string;
  readonly label: string;
}

/** What the site calls things, and when its day ends. */
export interface Vocabulary {
  readonly categories: readonly Term[];
  readonly directions: readonly Term[];
  readonly zone: string;
  readonly language: string;
}

export interface NewsroomStatus {
  readonly workers: number;
  readonly schedules: readonly {
    readonly name: string;
    readonly lastError: string | null;
  }[];
}

/** An item as a list has it. */
export interface ListedItem {
  readonly id: string;
  readonly title: string;
  readonly originalTitle: string | null;
  readonly summary: string | null;
  readonly sourceName: string;
  readonly originalUrl: string;
  readonly publishedAt: string;
  readonly category: string | null;
  readonly score: number | null;
  readonly selected: boolean;
  readonly reason: string | null;
  readonly directions: readonly string[];
  readonly language: string | null;
  /** The `publicId` of its story. */
  readonly story: string | null;
}

export type WithdrawnItem = Pick<
  ListedItem,
  'id' | 'title' | 'sourceName' | 'publishedAt' | 'category' | 'score' | 'selected'
> & { readonly withdrawnAt: string };

/** All that an editor sees of an item. */
export interface Item extends Omit<ListedItem, 'story'> {
  readonly story: { readonly publicId: string; readonly title: string } | null;
  readonly withdrawnAt: string | null;
  readonly sources: readonly { readonly id: number; readonly name: string }[];
  readonly reports: readonly { readonly period: Period; readonly date: string }[];
}

/** What an editor may change of an item. */
export interface ItemChange {
  readonly title?: string;
  readonly originalTitle?: string | null;
  readonly summary?: string | null;
  readonly category?: string | null;
  readonly score?: number | null;
  readonly reason?: string | null;
  readonly directions?: readonly string[];
  readonly language?: string | null;
}

export interface ScoreTerm {
  readonly name: string;
  readonly points: number;
  readonly note?: string;
}

/** Why an item scored as it did; `terms` is null if no editor judged it. */
export interface Explanation {
  readonly judgedAt: string | null;
  readonly judgedScore: number | null;
  readonly judgedSelected: boolean | null;
  readonly terms: readonly ScoreTerm[] | null;
}

export interface Edit {
  readonly edit: number;
  readonly at: string;
  readonly actor: string | null;
  readonly program: string;
  readonly action: string;
  readonly undoneBy: number | null;
  readonly changes: readonly { readonly member: string; readonly before: unknown; readonly after: unknown }[];
}

/** A story as a list has it. */
export interface ListedStory {
  readonly publicId: string;
  readonly title: string;
  readonly reportCount: number;
  readonly latest: { readonly publishedAt: string } | null;
}

interface StoryReport {
  readonly id: string;
  readonly title: string;
  readonly sourceName: string;
  readonly publishedAt: string;
  readonly selected: boolean;
  readonly withdrawnAt: string | null;
}

export interface Story {
  readonly publicId: string;
  readonly title: string;
  readonly digest: string | null;
  readonly digestBy: string | null;
  readonly mergedInto: string | null;
  readonly merged: readonly { readonly publicId: string; readonly title: string }[];
  readonly reports: readonly StoryReport[];
}

/** What an editor sets of a source. */
export interface SourceSettings {
  readonly name?: string;
  readonly category?: string;
  readonly directions?: readonly string[];
  readonly firstParty?: boolean;
  readonly weight?: number;
  readonly select?: string;
  readonly readPages?: boolean;
  readonly images?: boolean;
  readonly rules?: readonly string[];
  readonly page?: string | false;
}

export interface Source {
  readonly id: number;
  readonly url: string;
  readonly name: string;
  readonly isNamed: boolean;
  readonly category: string | null;
  readonly directions: readonly string[];
  readonly firstParty: boolean;
  readonly weight: number;
  readonly select: string;
  readonly readPages: boolean;
  readonly images: boolean;
  readonly rules: readonly string[];
  /** Rules that took too long and are not applied until the rules are saved again. */
  readonly stoppedRules: readonly { readonly rule: string; readonly reason: string }[];
  readonly state: 'active' | 'paused' | 'gone';
  readonly nextPollAt: string | null;
  readonly lastPolledAt: string | null;
  readonly lastSuccessAt: string | null;
  readonly failures: number;
  readonly failingSince: string | null;
  readonly lastError: string | null;
  /** The feed that a page names which the source answers instead of its own. */
  readonly offeredUrl: string | null;
  readonly emptyReads: number;
  /** The first entries of its feed that are not read, and why. */
  readonly leftOut: readonly { readonly title: string; readonly reason: string }[];
  readonly unusableEntries: number;
  readonly unreadEntries: number;
  readonly repeatedEntries: number;
  /** New entries in 24 hours. */
  readonly day: number;
  readonly pending: number;
  /** New entries of each of the last 14 times 24 hours, the latest last. */
  readonly days: readonly number[];
}

export interface FoundAtAddress {
  readonly title: string | null;
  readonly entries: readonly {
    readonly title: string;
    readonly url: string;
    readonly publishedAt: string | null;
  }[];
  readonly count: number;
  readonly leadsTo: readonly string[];
}

/** What rules would do to an entry. */
export interface TriedEntry {
  readonly title: string;
  readonly droppedBy: string | null;
  readonly category: string | null;
  readonly points: number;
}

/** What has become of an OPML file. */
export interface OpmlOutcome {
  readonly added: number;
  readonly known: number;
  readonly refused: readonly { readonly url: string; readonly reason: string }[];
}

export type Period = 'daily' | 'weekly' | 'monthly';

/** An item as a report quotes it. */
export interface Quote {
  readonly itemId: string;
  readonly title: string;
  readonly summary: string | null;
  readonly source: string;
  readonly publishedAt: string;
}

/** A report as it would be published now; `report` is null without an item to quote. */
export interface ReportPreview {
  readonly period: Period;
  readonly date: string;
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly publishedAt: string | null;
  readonly report: {
    readonly lead: { readonly itemId: string; readonly title: string; readonly leadParagraph: string } | null;
    readonly sections: readonly { readonly label: string; readonly items: readonly Quote[] }[];
    readonly flashes: readonly Quote[];
  } | null;
}

/** What moves an entry of the hot list. */
export interface HotInputs {
  readonly heat: number;
  readonly signals: number;
  readonly reports: number;
  readonly story: string | null;
  readonly sources: readonly {
    readonly source: string;
    readonly firstParty: boolean;
    readonly ageHours: number;
    readonly weight: number;
  }[];
}

export interface Ranking {
  readonly publishedAt: string;
  readonly windowHours: number;
  readonly entries: readonly {
    readonly rank: number;
    readonly id: string;
    readonly title: string;
    readonly withdrawnAt: string | null;
    readonly inputs: HotInputs;
  }[];
}
