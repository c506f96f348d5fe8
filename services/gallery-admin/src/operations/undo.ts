import { filename } from '../names.ts';
import { isInTrash } from '../trash-path.ts';
import { lastName, parentOf, type Transfer } from './destination.ts';
import type { OperationRequest, Undoing } from './operation.ts';
import type { Transferred } from './transfer.ts';

/**
 * The requests that take a finished deletion to the trash, move or renaming back; none if something stayed
 * behind.
 */
export function undoOf(
  { action, name }: OperationRequest,
  { transfers, stayed }: Pick<Transferred, 'transfers' | 'stayed'>,
): Undoing[] {
  if (action === 'copy' || stayed > 0 || transfers.length === 0) return [];
  if (action === 'trash') return [{ action: 'restore', paths: transfers.map(({ target }) => target) }];
  if (transfers.some(({ source }) => isInTrash(source.path))) return [];
  if (name !== undefined) {
    return transfers
      .filter(isRestorable)
      .map((renamed) => ({ action: 'rename', path: renamed.target, name: oldName(renamed) }));
  }
  // Other tools may have given a name that no request can give back.
  if (transfers.some((one) => isRenamed(one) && !isRestorable(one))) return [];
  return [...Map.groupBy(transfers, ({ source }) => parentOf(source.path))].map(([dest, moved]) => {
    const names = moved.filter(isRenamed).map((one) => ({ path: one.target, name: oldName(one) }));
    const undo = { action: 'move' as const, paths: moved.map(({ target }) => target), dest };
    return names.length === 0 ? undo : { ...undo, names };
  });
}

function isRenamed({ source, target }: Transfer): boolean {
  return lastName(source.path) !== lastName(target);
}

function oldName({ source }: Transfer): string {
  return lastName(source.path).replace(/\/$/, '');
}

/** True if a request may give the old name again. */
function isRestorable(transfer: Transfer): boolean {
  return filename.safeParse(oldName(transfer)).data === oldName(transfer);
}
