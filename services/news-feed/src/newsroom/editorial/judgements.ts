import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { JudgedItem, ScoreTerm } from './editor.ts';

/** Keeps why items were judged as they were, or replaces what was kept. */
export async function keepJudgements(
  tx: Transaction<NewsTables>,
  judged: readonly JudgedItem[],
  now: Date,
): Promise<void> {
  if (judged.length === 0) return;
  const rows = judged.map(({ itemId, judgement: { category, score, selected, reason, terms } }) => ({
    item_id: itemId,
    category,
    score,
    selected,
    reason,
    terms,
  }));
  await sql`
    insert into news.item_judgement (item_id, judged_at, category, score, selected, reason, terms)
    select item_id, ${now}, category, score, selected, reason, terms
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      (item_id text, category text, score double precision, selected boolean, reason text, terms jsonb)
    on conflict (item_id) do update set judged_at = excluded.judged_at, category = excluded.category,
      score = excluded.score, selected = excluded.selected, reason = excluded.reason, terms = excluded.terms
  `.execute(tx);
}

/** An item with why it was judged as it was. Throws a {@link Failure} if the item does not exist. */
export async function readJudgement(db: Kysely<NewsTables>, itemId: string) {
  return db
    .selectFrom('news.item as item')
    .leftJoin('news.item_judgement as judgement', 'judgement.item_id', 'item.id')
    .select(['item.id', 'item.title', 'item.source_name', 'item.story', 'item.category', 'item.score'])
    .select(['item.selected', 'item.directions', 'judgement.judged_at'])
    .select(['judgement.score as judged_score', 'judgement.selected as judged_selected'])
    .select(sql<ScoreTerm[] | null>`judgement.terms`.as('terms'))
    .where('item.id', '=', itemId)
    .executeTakeFirstOrThrow(() => new Failure('missing', `item ${itemId} does not exist`));
}
