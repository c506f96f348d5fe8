import type { Alike, WithTypes } from '@pressroom/common/database/column-types';
import type { Reason } from '@pressroom/moving/reasons';
import type { ColumnType } from 'kysely';
import type { Correction, Extra, ReviewState } from './articles/schema.ts';
import type { CommentAnchor } from './comments.ts';
import type { Columns } from './database/columns.ts';
import type { Actor } from './envelope.ts';
import type {
  EntryOutcome,
  ImportCounts,
  ImportFailure,
  ImportFormat,
  ImportOptions,
  ImportState,
} from './moving/imports-store.ts';

/** A row as PostgreSQL writes it as JSON, by column. */
export type RowAsJson = Record<string, unknown>;

/** The columns of a row as PostgreSQL writes it, with the time of publication as answers have it. */
export function membersOfJson({ published_at, ...rest }: RowAsJson): RowAsJson {
  const time = typeof published_at === 'string' ? new Date(published_at).toISOString() : null;
  return { ...rest, published_at: time };
}

/** A step of a review, as `content.review` has it. */
export interface StoredStep {
  state: ReviewState;
  comment: string | null;
  at: string;
  /** The public prefix of the key, or the desk's person; null for SQL. */
  key: string | null;
  /** The account of the desk's person, unless the step is of before accounts were kept. */
  account?: string | null;
  /** Set if this key changed the text after its approval. */
  is_change?: boolean;
  /** Set if the draft was planned until then. */
  ends_plan?: boolean;
}

/** The tables of the content service; what is in JSON, PostgreSQL does not say. */
export interface ContentTables
  extends WithTypes<
    Alike<Columns, ['content.tag', 'content.category', 'content.author', 'content.series']>,
    {
      'content.article': {
        extra: ColumnType<Extra | null>;
        /** Written as JSON: the driver takes a list for an array of PostgreSQL. */
        corrections: ColumnType<Correction[] | null, string | null | undefined, string | null>;
        title_words: ColumnType<string[]>;
      };
      'content.audit': { detail: ColumnType<object> };
      'content.article_comment': { anchor: ColumnType<CommentAnchor | null> };
      'content.deleted_article': { members: RowAsJson };
      'content.import': {
        actor: ColumnType<Actor, string, string>;
        // Empty until the file is read.
        counts: ColumnType<Partial<ImportCounts>, string | undefined, string>;
        failure: ColumnType<ImportFailure | null, null | undefined, null>;
        format: ColumnType<ImportFormat>;
        options: ColumnType<ImportOptions, string | undefined, string>;
        state: ColumnType<ImportState, ImportState | undefined>;
      };
      'content.import_entry': {
        outcome: ColumnType<EntryOutcome>;
        reasons: ColumnType<Reason[], string, string>;
      };
      'content.review': { steps: ColumnType<StoredStep[]> };
      'content.working_copy': { changes: ColumnType<RowAsJson> };
    }
  > {}

export type ArticleTable = ContentTables['content.article'];
