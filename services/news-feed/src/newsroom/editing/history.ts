import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** An edit of one thing. */
export interface HistoryEntry {
  /** What undoes it, with all that was changed together with this. */
  edit: number;
  at: Date;
  /** Who; null if unknown, and for the newsroom itself. */
  actor: string | null;
  /** What was connected. */
  program: string;
  action: string;
  /** The edit that it undoes. */
  undoes: number | null;
  /** The edit that undoes it. */
  undoneBy: number | null;
  changes: { member: string; before: unknown; after: unknown }[];
}

/** What is asked of the history. */
export interface HistoryQuery {
  kind: NewsTables['news.edit']['kind'];
  /** The id of an item, the `publicId` of a story, or the date of a report. */
  subject: string;
  /** The most entries. */
  limit: number;
}

/** The latest edits of an item, a story or a report, the newest first. */
export async function readHistory(
  db: Kysely<NewsTables>,
  { kind, subject, limit }: HistoryQuery,
): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom('news.edit')
    .select(['number as edit', 'at', 'actor', 'program', 'action', 'undoes'])
    .select([
      sql<Record<string, unknown>>`before`.as('before'),
      sql<Record<string, unknown>>`after`.as('after'),
    ])
    .select(
      sql<
        number | null
      >`(select max(undoing.number) from news.edit as undoing where undoing.undoes = edit.number)`.as(
        'undoneBy',
      ),
    )
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ before, after, ...entry }) => ({
    ...entry,
    changes: Object.keys(after).map((column) => ({
      member: column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      before: before[column],
      after: after[column],
    })),
  }));
}
