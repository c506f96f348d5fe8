import type { JSX } from 'preact';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { endingOf } from '../state/order.ts';
import { AudienceMark } from './audience-mark.tsx';
import { Check, linkProps } from './entry-card.tsx';
import { useEntry } from './entry-link.tsx';
import { Thumbnail } from './thumbnail.tsx';

interface LineProps {
  entry: Entry;
  rowIndex: number;
  style: JSX.CSSProperties;
  isSelected: boolean;
  isActive: boolean;
}

/** A folder or a file in the table. */
export function EntryLine({ entry, rowIndex, style, isSelected, isActive }: LineProps) {
  const { texts } = useApp();
  const { href, found, onOpen, onSelect, cell } = useEntry(entry);
  const name = texts.name(entry.name);
  const isFolder = entry.kind === 'folder';
  return (
    <div
      role="row"
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      tabIndex={-1}
      data-path={entry.path}
      class="line"
      style={style}
      draggable
      {...cell}
    >
      <div role="gridcell" tabIndex={-1} class="line-name">
        <Check name={name} isSelected={isSelected} onSelect={onSelect} />
        <span class="line-picture">
          <Thumbnail entry={entry} iconSize={18} />
        </span>
        <a {...linkProps(href, onOpen, isActive)} title={name}>
          <bdi>{name}</bdi>
        </a>
        {found !== undefined && <bdi class="line-folder">{found}</bdi>}
        <AudienceMark entry={entry} />
      </div>
      <div role="gridcell" tabIndex={-1} class="line-type">
        {isFolder ? texts.say('folder') : endingOf(entry.name).toUpperCase() || texts.say('file')}
      </div>
      <div role="gridcell" tabIndex={-1} class="line-size">
        {isFolder ? '' : texts.size(entry.size)}
      </div>
      <div role="gridcell" tabIndex={-1} class="line-date">
        {entry.modified === 0 ? '' : texts.date(entry.modified)}
      </div>
    </div>
  );
}
