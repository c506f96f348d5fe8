import { Icon } from '../../shared/views/icon.tsx';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { AudienceMark } from './audience-mark.tsx';
import { useEntry } from './entry-link.tsx';
import { Thumbnail } from './thumbnail.tsx';

interface EntryProps {
  entry: Entry;
  isSelected: boolean;
  isActive: boolean;
}

/** A folder or a file in the grid. */
export function EntryCard({ entry, column, isSelected, isActive }: EntryProps & { column: number }) {
  const { texts } = useApp();
  const { href, found, onOpen, onSelect, cell } = useEntry(entry);
  const name = texts.name(entry.name);
  return (
    <div
      role="gridcell"
      aria-colindex={column}
      aria-selected={isSelected}
      tabIndex={-1}
      data-path={entry.path}
      class={entry.kind === 'folder' ? 'card folder-card' : 'card'}
      draggable
      {...cell}
    >
      <Check name={name} isSelected={isSelected} onSelect={onSelect} />
      {entry.kind === 'folder' ? (
        <>
          <a class="card-link" {...linkProps(href, onOpen, isActive)}>
            <Icon name="folder" />
            <bdi class="card-name">{name}</bdi>
          </a>
          {found === undefined ? <AudienceMark entry={entry} /> : <FoundIn folder={found} />}
        </>
      ) : (
        <>
          <a class="card-picture" {...linkProps(href, onOpen, isActive)}>
            <span class="unseen">{name}</span>
            <Thumbnail entry={entry} />
          </a>
          <div class="card-caption">
            <bdi class="card-name" title={name} aria-hidden="true">
              {name}
            </bdi>
            {found === undefined ? (
              <span class="card-facts" aria-hidden="true">
                {texts.size(entry.size)}
              </span>
            ) : (
              <FoundIn folder={found} />
            )}
            <AudienceMark entry={entry} />
          </div>
        </>
      )}
    </div>
  );
}

/** The folder of what a search has found; of a long one, the end can be read. */
function FoundIn({ folder }: { folder: string }) {
  return (
    <span class="card-facts card-folder" title={folder}>
      <bdi>{folder}</bdi>
    </span>
  );
}

/** The attributes of an entry's link: one of all links is in the order of Tab. */
export function linkProps(href: string, onClick: (event: MouseEvent) => void, isActive: boolean) {
  return { href, onClick, draggable: false, tabIndex: isActive ? 0 : -1, 'data-active': isActive } as const;
}

/** Selects an entry with the mouse; the keyboard does it with Space. */
export function Check({
  name,
  isSelected,
  onSelect,
}: {
  name: string;
  isSelected: boolean;
  onSelect: (event: MouseEvent) => void;
}) {
  const { say } = useApp().texts;
  return (
    <input
      type="checkbox"
      class="check"
      tabIndex={-1}
      checked={isSelected}
      aria-label={say('select', { name })}
      onClick={(event) => {
        event.stopPropagation();
        onSelect(event);
      }}
    />
  );
}
