import type { Alike, WithTypes } from '@pressroom/common/database/column-types';
import type { ColumnType } from 'kysely';
import type { Extra } from './articles/schema.ts';
import type { Columns } from './database/columns.ts';

/** A row as PostgreSQL writes it as JSON, by column. */
export type RowAsJson = Record<string, unknown>;

/** The tables of the content service; what is in JSON, PostgreSQL does not say. */
export interface ContentTables
  extends WithTypes<
    Alike<Columns, ['content.tag', 'content.category', 'content.author']>,
    {
      'content.article': {
        extra: ColumnType<Extra | null>;
        title_words: ColumnType<string[]>;
      };
      'content.audit': { detail: ColumnType<object> };
      'content.deleted_article': { members: RowAsJson };
      'content.working_copy': { changes: ColumnType<RowAsJson> };
    }
  > {}

export type ArticleTable = ContentTables['content.article'];
