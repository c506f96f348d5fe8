import { Icon } from '../../shared/views/icon.tsx';
import { useApp } from '../app-context.ts';
import type { SortKey } from '../state/place.ts';
import type { TextName } from '../text/texts.ts';
import { TRASH } from '../trash.ts';

const COLUMNS: readonly (readonly [key: SortKey, text: TextName, look: string])[] = [
  ['name', 'name', 'line-name'],
  ['type', 'type', 'line-type'],
  ['size', 'size', 'line-size'],
  ['modified', 'modified', 'line-date'],
];

/** The heads of the columns, which sort. */
export function TableHead() {
  const { place, texts } = useApp();
  const { folder, sort, descending } = place.value.value;
  return (
    <div role="row" tabIndex={-1} aria-rowindex={1} class="line head">
      {COLUMNS.map(([key, text, look]) => (
        <div
          key={key}
          role="columnheader"
          tabIndex={-1}
          class={look}
          aria-sort={sort !== key ? 'none' : descending ? 'descending' : 'ascending'}
        >
          <button
            type="button"
            class="head-button"
            onClick={() => place.replace({ sort: key, descending: sort === key && !descending })}
          >
            {texts.say(key === 'modified' && folder === TRASH ? 'deletedOn' : text)}
            {sort === key && <Icon name={descending ? 'down' : 'up'} size={14} />}
          </button>
        </div>
      ))}
    </div>
  );
}
