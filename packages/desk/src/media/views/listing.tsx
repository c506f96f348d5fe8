import { memo } from 'preact/compat';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useRows, useWidth } from '../../shared/views/use-rows.ts';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { EntryCard } from './entry-card.tsx';
import { EntryLine } from './entry-line.tsx';
import { FlyingProvider, useFlying } from './flying.ts';
import { GAP, gridLayout, type Layout, tableLayout } from './layout.ts';
import { useListingKeys } from './listing-keys.ts';
import { Marquee, useMarquee } from './marquee.tsx';
import { TableHead } from './table-head.tsx';

/** The rows before the last one at which the next page is requested. */
const AHEAD = 8;

/** The entries of the folder, as a grid or as a table; only what can be seen is in the document. */
export function Listing({ entries }: { entries: readonly Entry[] }) {
  const { folder, place, selection, texts } = useApp();
  const { view } = place.value.value;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const layout = useMemo(
    () => (view === 'grid' ? gridLayout(entries, width) : tableLayout(entries)),
    [view, entries, width],
  );
  const flying = useFlying(scroller);
  const rows = useRows(scroller, {
    count: layout.rows,
    heightOf: layout.heightOf,
    overscan: layout.overscan,
  });
  const keys = useListingKeys(entries, layout, (index) => rows.show(layout.rowOf(index)));
  const marquee = useMarquee(scroller, entries, layout);
  useFocus(scroller);

  const lastRow = rows.items.at(-1)?.index ?? 0;
  const isAtEnd = folder.state.value === 'more' && lastRow >= layout.rows - AHEAD;
  useEffect(() => {
    if (isAtEnd) void folder.loadMore();
  }, [folder, isAtEnd, layout.rows]);

  const chosen = selection.paths.value;
  const at = selection.active.value;
  const active = useMemo(() => activeOf(entries, at), [entries, at]);
  return (
    <div ref={scroller} class={`scroller ${view}`} onPointerDown={marquee.begin}>
      <div
        role="grid"
        class="listing"
        aria-label={texts.say('filesIn', { folder: texts.folder(place.value.value.folder) })}
        aria-multiselectable="true"
        aria-rowcount={layout.rows + (view === 'table' ? 1 : 0)}
        aria-colcount={view === 'table' ? 4 : layout.columns}
        onKeyDown={keys}
        onFocusIn={(event) => {
          // A press of the mouse may begin to drag: it leaves the focus where it is.
          const path = (event.target as HTMLElement).matches('a') ? pathAt(event) : undefined;
          if (path !== undefined) selection.focus(path);
        }}
        onClick={(event) => {
          const path = pathAt(event);
          if (path !== undefined) selection.choose(path, event.shiftKey, entries);
        }}
      >
        {view === 'table' && <TableHead />}
        <div role="presentation" class="rows" style={{ height: `${rows.total + GAP}px` }}>
          <FlyingProvider value={flying}>
            {width > 0 &&
              rows.items.map(({ index, start }) => (
                <Row
                  key={index}
                  index={index}
                  start={start}
                  layout={layout}
                  entries={entries}
                  chosen={chosen}
                  active={active}
                  view={view}
                />
              ))}
          </FlyingProvider>
          <Marquee area={marquee.area} />
        </div>
      </div>
    </div>
  );
}

/** The path of the entry in which an event happened. */
function pathAt({ target }: Event): string | undefined {
  return (target as HTMLElement).closest<HTMLElement>('[data-path]')?.dataset.path;
}

interface RowProps {
  index: number;
  start: number;
  layout: Layout;
  entries: readonly Entry[];
  chosen: ReadonlySet<string>;
  active: string | undefined;
  view: 'grid' | 'table';
}

/** While the listing is scrolled, only the rows that come into sight are new. */
const Row = memo(({ index, start, layout, entries, chosen, active, view }: RowProps) => {
  const [from, to] = layout.rangeOf(index);
  const place = { transform: `translateY(${start}px)`, height: `${layout.heightOf(index) - GAP}px` };
  if (view === 'table') {
    const entry = entries[from];
    if (entry === undefined) return null;
    return (
      <EntryLine
        entry={entry}
        rowIndex={index + 2}
        style={{ transform: place.transform }}
        isSelected={chosen.has(entry.path)}
        isActive={active === entry.path}
      />
    );
  }
  const style = { ...place, gridTemplateColumns: `repeat(${layout.columns}, minmax(0, 1fr))` };
  return (
    <div role="row" tabIndex={-1} aria-rowindex={index + 1} class="row" style={style}>
      {entries.slice(from, to).map((entry, column) => (
        <EntryCard
          key={entry.path}
          entry={entry}
          column={column + 1}
          isSelected={chosen.has(entry.path)}
          isActive={active === entry.path}
        />
      ))}
    </div>
  );
});

/** The entry that Tab reaches: the first one until the keyboard has been somewhere. */
function activeOf(entries: readonly Entry[], path: string | undefined): string | undefined {
  const isThere = path !== undefined && entries.some((entry) => entry.path === path);
  return isThere ? path : entries[0]?.path;
}

/** Moves the focus with the keyboard's place, once that entry is in the document. */
function useFocus(scroller: { current: HTMLElement | null }): void {
  const active = useApp().selection.active.value;
  const last = useRef(active);
  // Before the next key, which the focused link gets; after each rendering, because the row of the new place
  // may only come with the scroll that leads to it.
  useLayoutEffect(() => {
    if (active === undefined || active === last.current) return;
    const link = scroller.current?.querySelector<HTMLElement>('[data-active="true"]');
    if (link === null || link === undefined) return;
    last.current = active;
    if (document.activeElement !== link) link.focus({ preventScroll: true });
  });
}
