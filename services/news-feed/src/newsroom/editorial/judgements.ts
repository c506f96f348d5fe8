import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Judgement, ScoreTerm } from './editor.ts';

/** Keeps why an item was judged as it was, or replaces what was kept. */
export async function keepJudgement(
  tx: Transaction<NewsTables>,
  itemId: string,
  { category, score, selected, reason, terms }: Judgement,
  now: Date,
): Promise<void> {
  const values = { judged_at: now, category, score, selected, reason, terms: JSON.stringify(terms) };
  await tx
    .insertInto('news.item_judgement')
    .values({ item_id: itemId, ...values })
    .onConflict((conflict) => conflict.column('item_id').doUpdateSet(values))
    .execute();
}

/** An item with why it was judged as it was. Throws a {@link Failure} if the item does not exist. */
export async function readJudgement(db: Kysely<NewsTables>, itemId: string) {
  const item = await db
    .selectFrom('news.item as item')
    .leftJoin('news.item_judgement as judgement', 'judgement.item_id', 'item.id')
    .select(['item.id', 'item.title', 'item.source_name', 'item.story', 'item.category', 'item.score'])
    .select(['item.selected', 'item.directions', 'judgement.judged_at'])
    .select(['judgement.score as judged_score', 'judgement.selected as judged_selected'])
    .select(sql<ScoreTerm[] | null>`judgement.terms`.as('terms'))
    .where('item.id', '=', itemId)
    .executeTakeFirst();
  if (item === undefined) throw new Failure('missing', `item ${itemId} does not exist`);
  return item;
}
