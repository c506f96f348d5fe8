import { diffArrays } from 'diff';

/** A change of one list of blocks into another one. */
interface BlockChange {
  /** The place in the first list. */
  readonly at: number;
  readonly removed: number;
  /** The place in the second list. */
  readonly from: number;
  readonly added: number;
}

/** The changes between two lists of blocks; as many blocks in the place of others are a change each. */
export function blockChanges(before: readonly string[], after: readonly string[]): BlockChange[] {
  const changes: BlockChange[] = [];
  let [at, from, removed, added] = [0, 0, 0, 0];
  const end = () => {
    const isEach = removed === added;
    for (let index = 0; index < (isEach ? added : 1); index += 1) {
      changes.push(
        isEach ? { at: at + index, removed: 1, from: from + index, added: 1 } : { at, removed, from, added },
      );
    }
    [at, from, removed, added] = [at + removed, from + added, 0, 0];
  };
  for (const one of diffArrays([...before], [...after])) {
    if (one.removed) removed += one.count;
    else if (one.added) added += one.count;
    else {
      end();
      [at, from] = [at + one.count, from + one.count];
    }
  }
  end();
  return changes;
}
