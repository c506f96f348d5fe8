import { Failure } from '@pressroom/common/failures/failure';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { WRITTEN_COLUMNS } from './item-values.ts';

/** What an edit has changed of one thing. */
export interface Change {
  kind: NewsTables['news.edit']['kind'];
  subject: string;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** The tables whose rows are edited, with the columns of which an edit keeps what they were. */
const EDITED: Record<Change['kind'], { key: string; columns: readonly string[] }> = {
  item: { key: 'id', columns: [...WRITTEN_COLUMNS, 'withdrawn_at'] },
  story: {
    key: 'public_id',
    columns: ['title', 'status', 'digest', 'digest_updated_at', 'digest_by', 'merged_into'],
  },
  daily: { key: 'date', columns: ['report', 'item_ids', 'corrected_at'] },
  weekly: { key: 'date', columns: ['report', 'item_ids', 'corrected_at'] },
  monthly: { key: 'date', columns: ['report', 'item_ids', 'corrected_at'] },
};

/** What an edit has changed, each thing once. */
export async function changesOf(tx: Transaction<NewsTables>, number: number): Promise<Change[]> {
  const rows = await tx
    .selectFrom('news.edit')
    .select(['kind', 'subject'])
    .select([sql<Change['before']>`before`.as('before'), sql<Change['after']>`after`.as('after')])
    .where('number', '=', number)
    .orderBy('id')
    .execute();
  const changes = new Map<string, Change>();
  for (const row of rows) {
    const key = `${row.kind} ${row.subject}`;
    const { before = {}, after = {} } = changes.get(key) ?? {};
    changes.set(key, { ...row, before: { ...row.before, ...before }, after: { ...after, ...row.after } });
  }
  return [...changes.values()];
}

/** Those of a kind. */
export function of(changes: readonly Change[], kind: Change['kind']): Change[] {
  return changes.filter((change) => change.kind === kind);
}

/** Returns the keys of what is still there, if none of it differs from what the edit has made of it. */
export async function refuseChanged(
  tx: Transaction<NewsTables>,
  changes: readonly Change[],
): Promise<Set<string>> {
  const present = new Set<string>();
  for (const kind of new Set(changes.map((change) => change.kind))) {
    const { rows } = await sql<{ subject: string; has_changed: boolean }>`
      select change.subject, jsonb_populate_record(kept, change.after) is distinct from kept as has_changed
      from ${recordsOf(of(changes, kind))} join ${sql.table(`news.${kind}`)} as kept on ${keyOf(kind)} = change.subject
      order by change.subject
    `.execute(tx);
    for (const { subject, has_changed } of rows) {
      if (has_changed) throw new Failure('conflict', `${kind} ${subject} has been changed again since`);
      present.add(subject);
    }
  }
  if (present.size === 0) throw new Failure('missing', 'what it changed does not exist any more');
  return present;
}

function recordsOf(changes: readonly Change[]) {
  return sql`jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as change (subject text, before jsonb, after jsonb)`;
}

/** The key of a row, as text. */
function keyOf(kind: Change['kind']) {
  return sql`${sql.ref(`kept.${EDITED[kind].key}`)}::text`;
}

/** Gives rows the values that they had before. */
export async function writeBefore(
  tx: Transaction<NewsTables>,
  kind: Change['kind'],
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const { key, columns } = EDITED[kind];
  const updated = kind === 'item' || kind === 'story' ? sql`, updated_at = clock_timestamp()` : sql``;
  await sql`
    update ${sql.table(`news.${kind}`)} as kept
    set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = was.${sql.ref(column)}`))}${updated}
    from (
      select was.* from ${recordsOf(changes)} join ${sql.table(`news.${kind}`)} as kept on ${keyOf(kind)} = change.subject
      cross join lateral jsonb_populate_record(kept, change.before) as was
    ) as was
    where ${sql.ref(`kept.${key}`)} = ${sql.ref(`was.${key}`)}
  `.execute(tx);
}
