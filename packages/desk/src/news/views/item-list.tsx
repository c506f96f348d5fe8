import { memo } from 'preact/compat';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../shared/views/icon.tsx';
import { useRows } from '../../shared/views/use-rows.ts';
import { useNews } from '../news-context.ts';
import type { Listed } from '../state/items.ts';
import { useKeys } from './use-keys.ts';

const HEIGHT = 68;

/** The lines before the last one at which the next page is requested. */
const AHEAD = 12;

const heightOf = () => HEIGHT;

interface ItemListProps {
  entries: readonly Listed[];
  active: string | undefined;
  /** Shows the item on which the keys act. */
  onOpen: () => void;
}

/** Items, one a line; only what can be seen is in the document. */
export function ItemList({ entries, active, onOpen }: ItemListProps) {
  const { items, me, texts } = useNews();
  const chosen = items.chosen.value;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRows(scroller, { count: entries.length, heightOf, overscan: 8 });
  const index = Math.max(
    0,
    entries.findIndex(({ id }) => id === active),
  );
  const goTo = (to: number) => {
    const entry = entries[Math.max(0, Math.min(entries.length - 1, to))];
    if (entry === undefined) return;
    rows.show(Math.max(0, Math.min(entries.length - 1, to)));
    items.goTo(entry.id);
  };
  useKeys({ j: () => goTo(index + 1), k: () => goTo(index - 1) });
  useFocus(scroller);
  const state = items.list.state.value;
  const isAtEnd = state === 'more' && (rows.items.at(-1)?.index ?? 0) >= entries.length - AHEAD;
  useEffect(() => {
    if (isAtEnd) void items.list.more();
  }, [items, isAtEnd, entries.length]);
  const last = useRef<string>();
  /** Chooses an item or not; with `from`, all between the two. */
  const choose = (id: string, from?: string) => {
    const [a = 0, b = 0] = [from ?? id, id].map((one) => entries.findIndex((entry) => entry.id === one));
    const range = from === undefined ? [] : entries.slice(Math.min(a, b), Math.max(a, b) + 1);
    const next = new Set([...chosen, ...range.map((entry) => entry.id)]);
    if (from === undefined && !next.delete(id)) next.add(id);
    items.chosen.value = next;
    last.current = id;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'a' && me.may('edit')) {
      event.preventDefault();
      items.chosen.value = new Set(entries.map(({ id }) => id));
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.floor((scroller.current?.clientHeight ?? HEIGHT) / HEIGHT) - 1;
    const target = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: entries.length - 1,
    }[event.key];
    const entry = entries[target ?? index];
    if (event.shiftKey && target !== undefined && entry !== undefined && me.may('edit'))
      choose(entry.id, entries[index]?.id);
    if (target !== undefined) goTo(target);
    else if (event.key === ' ' && entry !== undefined && me.may('edit')) choose(entry.id);
    else if (event.key === 'Escape' && chosen.size > 0) items.chosen.value = new Set();
    else if (event.key === 'Enter') onOpen();
    else return;
    event.preventDefault();
  };
  return (
    <div ref={scroller} class="lines-scroller">
      <div
        role="grid"
        class="lines-grid"
        aria-label={texts.say('itemList')}
        aria-rowcount={state === 'complete' ? entries.length : -1}
        onKeyDown={onKeyDown}
        aria-multiselectable="true"
        onClick={({ target, shiftKey, ctrlKey, metaKey }) => {
          const id = (target as HTMLElement).closest<HTMLElement>('[data-id]')?.dataset.id;
          if (id === undefined) return;
          const isBox = (target as HTMLElement).closest('.item-choice') !== null;
          if (me.may('edit') && (isBox || shiftKey || ctrlKey || metaKey)) {
            choose(id, shiftKey ? (last.current ?? id) : undefined);
            items.goTo(id);
            return;
          }
          items.goTo(id);
          if (matchMedia('(max-width: 999.9px)').matches) onOpen();
        }}
        onFocusIn={({ target }) => {
          const id = (target as HTMLElement).closest<HTMLElement>('[data-id]')?.dataset.id;
          if (id !== undefined) items.goTo(id);
        }}
      >
        <div role="presentation" class="lines-all" style={{ height: `${rows.total}px` }}>
          {rows.items.map(({ index: row, start }) => {
            const item = entries[row];
            if (item === undefined) return null;
            const state = { isActive: item.id === active, isChosen: chosen.has(item.id) };
            return <Line key={item.id} {...{ item, row, start, ...state }} canChoose={me.may('edit')} />;
          })}
        </div>
      </div>
    </div>
  );
}

interface LineProps {
  item: Listed;
  row: number;
  start: number;
  isActive: boolean;
  isChosen: boolean;
  canChoose: boolean;
}

const Line = memo(({ item, row, start, isActive, isChosen, canChoose }: LineProps) => {
  const { texts, vocabulary } = useNews();
  const { say } = texts;
  const { id, title, sourceName, category, publishedAt, score, selected, language, withdrawnAt } = item;
  const facts = [
    sourceName,
    ...(category === null ? [] : [texts.label(vocabulary.value?.categories, category)]),
    texts.ago(publishedAt),
  ];
  const state = withdrawnAt ? 'withdrawn' : selected ? 'selected' : 'plain';
  return (
    <div
      role="row"
      class={`item-line ${state}`}
      aria-rowindex={row + 1}
      tabIndex={isActive ? 0 : -1}
      data-id={id}
      data-active={isActive}
      aria-selected={isChosen}
      style={{ transform: `translateY(${start}px)` }}
    >
      {canChoose && (
        <span role="gridcell" tabIndex={-1} class="item-choice">
          <input type="checkbox" tabIndex={-1} checked={isChosen} aria-label={say('chooseItem', { title })} />
        </span>
      )}
      <span role="gridcell" tabIndex={-1} class="item-score">
        {score === null ? '–' : Math.round(score)}
      </span>
      <span role="gridcell" tabIndex={-1} class="item-words">
        <span class="item-title" lang={language ?? undefined} dir="auto">
          {texts.name(title)}
        </span>
        <span class="item-facts">{facts.join(' · ')}</span>
      </span>
      <span role="gridcell" tabIndex={-1} class="item-state">
        {state !== 'plain' && (
          <span class={state === 'selected' ? 'badge on' : 'badge'}>
            {state === 'selected' && <Icon name="check" size={13} />}
            {say(state === 'selected' ? 'isSelected' : 'isWithdrawn')}
          </span>
        )}
      </span>
    </div>
  );
});

/** Moves the focus with the keys, if it is in the list or nowhere. */
function useFocus(scroller: { current: HTMLElement | null }): void {
  const active = useNews().items.active.value;
  const last = useRef(active);
  useLayoutEffect(() => {
    if (active === undefined || active === last.current) return;
    const line = scroller.current?.querySelector<HTMLElement>('[data-active="true"]');
    if (line === null || line === undefined) return;
    last.current = active;
    const focused = document.activeElement;
    if (focused === line || focused?.closest('dialog, aside') != null) return;
    line.focus({ preventScroll: true });
  });
}
