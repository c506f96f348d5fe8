import type { Alike, WithTypes } from '@pressroom/common/database/column-types';
import type { RuleCode } from '@pressroom/common/failures/failure';
import type { StoredReport } from '@pressroom/stories';
import type { Category, NamedCategory } from './categories.ts';
import type { Columns } from './database/columns.ts';
import type { Enclosure, Image } from './fields.ts';

/** The tables of the news feed; what is in JSON, PostgreSQL does not say. */
export interface NewsTables extends Alike<Typed, ['news.daily', 'news.weekly', 'news.monthly']> {}

type Typed = WithTypes<
  Columns,
  {
    'news.daily': { report: object };
    'news.edit': { before: Record<string, unknown>; after: Record<string, unknown> };
    'news.editorial_answer': { answer: object };
    'news.item': { image: Image | null; enclosures: Enclosure[] | null };
    'news.item_judgement': { terms: object[] };
    'news.notice': { data: object };
    'news.ranking': { parameters: object };
    'news.ranking_entry': { inputs: object };
    'news.report_terms': { report: StoredReport };
    'news.reset_activity': { context: object[] };
    'news.reset_event': { schedule: object | null; presentation: object | null; estimate: object | null };
    'news.reset_post': { context: object[] };
    'news.settings': { categories: Category[] | null; former_categories: NamedCategory[] };
    'news.source': {
      /** Also `removed`, for sources that are never shown. */
      state: 'active' | 'paused' | 'gone';
      removed: { at: string; url: string; given_url: string; state: 'active' | 'paused' | 'gone' } | null;
      /** Rules that were switched off, each with its reason. */
      stopped_rules: { rule: string; reason: string; code?: RuleCode }[];
      /** The first of the entries that were left out, by name. */
      left_out: { title: string; reason: string; code?: string }[];
    };
    'news.source_entry': { entry: object; written: object | null };
  }
>;

export type ItemTable = NewsTables['news.item'];
export type ResetPostTable = NewsTables['news.reset_post'];
export type SourceTable = NewsTables['news.source'];
