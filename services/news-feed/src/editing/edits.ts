import { isLostRace, violates } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { NewsTables } from '../tables.ts';

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
  return inTransactions(db)(async (tx) => {
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

/** Work that is done completely or not at all. */
export type Work<T> = (tx: Transaction<NewsTables>) => Promise<T>;

/** Runs pieces of work one after the other. */
export type RunWork = <T>(work: Work<T>) => Promise<T>;

/** Attempts of work that loses a race against other writers. */
const ATTEMPTS = 5;

/** Runs each piece of work in its own transaction, and retries it if it lost a race. */
export function inTransactions(db: Kysely<NewsTables>): RunWork {
  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await db.transaction().execute(work);
      } catch (error) {
        if (!(isLostRace(error) || isTaken(error)) || attempt === ATTEMPTS) throw error;
      }
    }
  };
}

/** True if another writer has just created the same item or source: a retry then finds it. */
function isTaken(error: unknown): boolean {
  return ['item_pkey', 'item_canonical_url_key', 'source_url_key'].some((key) => violates(error, key));
}

/** Thrown to end a rehearsal, which rolls the transaction back. */
class Rehearsed extends Error {}

/**
 * Gives `play` a way to run work that sees the effects of earlier work and is rolled back at the end, for
 * `--dry-run`.
 */
export async function rehearse<T>(
  db: Kysely<NewsTables>,
  play: (runWork: RunWork) => Promise<T>,
): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await db.transaction().execute(async (tx) => {
      result = { value: await play(inSavepoints(tx)) };
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
  if (result === undefined) throw new Error('the rehearsal did not take place');
  return result.value;
}

function inSavepoints(tx: Transaction<NewsTables>): RunWork {
  return async (work) => {
    await sql`savepoint work`.execute(tx);
    try {
      const value = await work(tx);
      await sql`release savepoint work`.execute(tx);
      return value;
    } catch (error) {
      await sql`rollback to savepoint work`.execute(tx);
      throw error;
    }
  };
}
