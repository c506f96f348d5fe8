import type { AnswerOf, RequestOptions } from '@pressroom/client';
import type { operations } from '../openapi/newsroom.ts';

type Answer<Name extends keyof operations> = AnswerOf<operations[Name]>;
type Body<Name extends keyof operations> = NonNullable<RequestOptions<operations[Name]>['body']>;

/** A page of a list; `nextCursor` leads to the next one. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly nextCursor: string | null;
}

/** A value, with the tag that makes a write fail if it has been changed since. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly etag: string | null;
}

/** The site's categories and directions, and the end of its day. */
export type Vocabulary = Answer<'getVocabulary'>;
/** A category or a direction, and how readers see it. */
export type Term = Vocabulary['directions'][number] & { isFormer?: boolean };
export type NewsroomStatus = Answer<'getStatus'>;

export type ItemsQuery = Omit<
  NonNullable<RequestOptions<operations['listItems']>['query']>,
  'limit' | 'cursor'
>;
export type ListedItem = Answer<'listItems'>['items'][number];
export type WithdrawnItem = Answer<'listWithdrawnItems'>['items'][number];
/** All that an editor sees of an item. */
export type Item = Answer<'getItem'>;
export type ItemChange = Body<'editItem'>;
/** The actions on an item that need no further input. */
export type ItemAction = 'select' | 'deselect' | 'withdraw' | 'restore';
/** Why an item scored as it did. */
export type Explanation = Answer<'explainItem'>;
export type ScoreTerm = NonNullable<Explanation['terms']>[number];

export type Edit = Answer<'getItemHistory'>['edits'][number];
/** An edit that was made; `edit` is null if it changed nothing. */
export type Done = Answer<'writeDigest'>;
export type Edited = Answer<'editItem'>;

export type ListedStory = Answer<'listStories'>['stories'][number];
export type Story = Answer<'getStory'>;
export type MovedStory = Answer<'mergeStory'>;

export type Source = Answer<'editSource'>;
export type SourceDetail = Answer<'getSource'>;
export type NewSource = Body<'addSource'>;
export type SourceChange = Body<'editSource'>;
/** An address to read once, and how. */
export type TriedSource = Body<'trySource'>;
export type FoundAtAddress = Answer<'trySource'>;
export type DroppedEntry = Answer<'listDroppedEntries'>['entries'][number];
/** An entry, with what the rules would do to it. */
export type TriedEntry = Answer<'trySourceRules'>['entries'][number];
export type OpmlOutcome = Answer<'importSources'>;

/** A report as it would be published now; `report` is null without an item to quote. */
export type ReportPreview = Answer<'previewReport'>;
export type ReportNote = Answer<'getReportCorrection'>;
export type Period = ReportPreview['period'];
/** An item as a report quotes it. */
export type Quote = NonNullable<ReportPreview['report']>['flashes'][number];
export type Publication = Answer<'publishReport'>;

export type Ranking = NonNullable<Answer<'explainRanking'>['ranking']>;
export type HotInputs = Ranking['entries'][number]['inputs'];
