import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { NewsTables } from '../tables.ts';
import { transactWithRetries, type Work } from '../transactions.ts';

/** An edit as the history shows it, without its changes. */
export interface Edit {
  /** The person who edits; absent for the newsroom itself. */
  actor?: string;
  /** Such as `item edit`. */
  action: string;
  /** The number of the edit that this one undoes. */
  undoes?: number;
}

/** The result of an edit, and the number by which it can be undone; null if it has changed nothing. */
export interface Edited<T> {
  result: T;
  edit: number | null;
}

/** The outcome of writing values that may be there already. */
export type Outcome = 'created' | 'changed' | 'unchanged';

/** The longest name of an actor, in characters. */
const MAX_ACTOR = 200;

/**
 * Does `work` as one edit, in a separate transaction. The triggers that call `edits.sql` keep what it
 * changes. Throws a {@link Failure} for an invalid name, and what `work` throws.
 */
export async function inEdit<T>(
  db: Kysely<NewsTables>,
  edit: Edit & { actor: string },
  work: Work<T>,
): Promise<Edited<T>> {
  const { actor } = edit;
  if (actor.trim() === '' || actor.length > MAX_ACTOR || /\p{C}/u.test(actor)) {
    throw new Failure('invalid', `the editor's name must have 1 to ${MAX_ACTOR} visible characters`);
  }
  return transactWithRetries(db, async (tx) => {
    const { number, former } = await declare(tx, one(edit));
    const result = await work(tx);
    await restore(tx, former);
    const kept = await tx
      .selectFrom('news.edit')
      .select('number')
      .where('number', '=', number)
      .limit(1)
      .executeTakeFirst();
    return { result, edit: kept?.number ?? null };
  });
}

/** Keeps the changes of `work` as one edit, or as part of the one that it is in. */
export async function asOneEdit<T>(
  tx: Transaction<NewsTables>,
  edit: Edit,
  work: () => Promise<T>,
): Promise<T> {
  const { former } = await declare(tx, one(edit));
  const result = await work();
  await restore(tx, former);
  return result;
}

/** Has each row that the transaction changes kept as a separate edit. */
export async function asManyEdits(tx: Transaction<NewsTables>, edit: Edit): Promise<void> {
  await declare(tx, sql`${JSON.stringify(edit)}`);
}

/** Keeps no edit of the changes of `work`: they are derived from edited rows. */
export async function asNoEdit<T>(tx: Transaction<NewsTables>, work: () => Promise<T>): Promise<T> {
  const { former } = await declare(tx, sql`'off'`);
  const result = await work();
  await restore(tx, former);
  return result;
}

/** An edit around this one has its own number already, and keeps it. */
function one(edit: Edit): RawBuilder<string> {
  return sql`(
    jsonb_build_object('number', nextval('news.edit_number')) || ${JSON.stringify(edit)}::jsonb
    || coalesce(nullif(former, '')::jsonb, '{}')
  )::text`;
}

/** Declares the edit of the transaction's next changes; returns its number, and the former declaration. */
async function declare(tx: Transaction<NewsTables>, edit: RawBuilder<string>) {
  const { rows } = await sql<{ former: string; declared: string }>`
    with before as materialized (select coalesce(current_setting('news.edit', true), '') as former)
    select former, set_config('news.edit', ${edit}, true) as declared from before
  `.execute(tx);
  const { former = '', declared = '' } = rows[0] ?? {};
  const number: number = declared.startsWith('{') ? JSON.parse(declared).number : Number.NaN;
  return { former, number };
}

async function restore(tx: Transaction<NewsTables>, former: string): Promise<void> {
  await sql`select set_config('news.edit', ${former}, true)`.execute(tx);
}
