import type { WithTypes } from '@pressroom/common/database/column-types';
import type { Columns } from './database/columns.ts';

/** The tables of the gallery administration; what is in JSON, PostgreSQL does not say. */
export interface GalleryTables
  extends WithTypes<
    Columns,
    {
      'gallery.archive': { paths: readonly string[] };
      'gallery.backup_report': { failing: Readonly<Record<string, string>> };
    }
  > {}

export type BatchTable = GalleryTables['gallery.batch'];
