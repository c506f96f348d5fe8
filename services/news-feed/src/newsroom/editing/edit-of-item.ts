import { Failure } from '@pressroom/common/failures/failure';
import type { Kysely, Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { type Edit, type Edited, inEdit } from '../edits.ts';
import type { RenewalParts } from '../stories/renew-stories.ts';
import { type ItemDetail, readItemDetail } from './item-detail.ts';
import type { ItemChange, ItemInput } from './item-input.ts';
import { editItem, retellItem, upsertItems, urlOf } from './items.ts';

/** Who edits an item, how, and what that asks of it. */
export interface ItemEdit extends Edit {
  actor: string;
  renewal: RenewalParts;
  /** Checks the item as it is; throws to forbid the edit. */
  precondition?: ((item: ItemDetail) => void) | undefined;
}

/**
 * Changes an item, and what its stories say of it. Throws as `editItem`, and whatever the precondition does.
 */
export function changeItem(
  db: Kysely<NewsTables>,
  id: string,
  change: ItemChange,
  { renewal, precondition, ...edit }: ItemEdit,
): Promise<Edited<void>> {
  return inEdit(db, edit, async (tx) => {
    if (precondition !== undefined) precondition(await lockedDetail(tx, id));
    await retellItem(tx, await editItem(tx, id, change), renewal);
  });
}

async function lockedDetail(tx: Transaction<NewsTables>, id: string): Promise<ItemDetail> {
  await tx.selectFrom('news.item').select('id').where('id', '=', id).forUpdate().execute();
  return readItemDetail(tx, id);
}

/** Adds an item, and returns its id. Throws a `Failure` if there is one with its id or address. */
export function addItem(
  db: Kysely<NewsTables>,
  input: ItemInput,
  edit: Edit & { actor: string },
  now: Date,
): Promise<Edited<string>> {
  return inEdit(db, edit, async (tx) => {
    const [outcome] = await upsertItems(tx, [input], now);
    if (outcome instanceof Failure) throw outcome;
    const id = await idOf(tx, input);
    if (outcome !== 'created') throw new Failure('conflict', `item ${id} already has this id or address`);
    return id;
  });
}

async function idOf(tx: Transaction<NewsTables>, input: ItemInput): Promise<string> {
  if (input.id !== undefined) return input.id;
  const { id } = await tx
    .selectFrom('news.item')
    .select('id')
    .where('canonical_url', '=', urlOf(input))
    .executeTakeFirstOrThrow();
  return id;
}
