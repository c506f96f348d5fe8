import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { parentOf } from '../state/place.ts';
import { originalOf, TRASH } from '../trash.ts';
import { useActions } from './actions.ts';
import { openEntry } from './entry-link.tsx';
import type { Layout } from './layout.ts';

/** Rows that Page Up and Page Down go. */
const PAGE = 5;

/** The keys of the listing: arrows move, Shift extends, Space selects; the rest are shortcuts. */
export function useListingKeys(entries: readonly Entry[], layout: Layout, show: (index: number) => void) {
  const app = useApp();
  const { place, selection } = app;
  const actions = useActions();
  const goTo = (index: number, extend: boolean) => {
    const entry = entries[index];
    if (entry === undefined) return;
    show(index);
    if (extend) selection.extend(entry.path, entries);
    else selection.focus(entry.path);
  };
  return (event: KeyboardEvent) => {
    const path = selection.active.peek() ?? entries[0]?.path;
    const index = Math.max(
      0,
      entries.findIndex((entry) => entry.path === path),
    );
    const target = targetOf(event, index, entries.length, layout);
    if (target !== undefined) {
      event.preventDefault();
      return goTo(target, event.shiftKey);
    }
    const command = event.ctrlKey || event.metaKey;
    const act = () => {
      const isCell = (event.target as HTMLElement).matches('[role="gridcell"], [role="row"]');
      if (event.key === 'Enter' && isCell && entries[index]) return openEntry(app, entries[index]);
      if (event.key === ' ' && path !== undefined) return selection.toggle(path);
      if (event.key === 'Escape') return selection.clear();
      if (event.key === 'Delete') return actions.remove();
      if (event.key === 'F2') return actions.rename();
      if (event.key === 'Backspace') {
        const above = parentOf(place.value.peek().folder);
        const folder = originalOf(above) === '' ? TRASH : above;
        return place.go({ folder, filter: '', everywhere: false });
      }
      if (command && event.key === 'a') return void actions.selectAll();
      if (command && event.key === 'x') return actions.cut();
      if (command && event.key === 'c') return actions.copy();
      return false;
    };
    if (act() !== false) event.preventDefault();
  };
}

/** The index that a key moves to; undefined if it does not move. */
function targetOf(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  index: number,
  count: number,
  layout: Layout,
): number | undefined {
  if (ctrlKey || metaKey) return undefined;
  const rtl = document.dir === 'rtl' ? -1 : 1;
  const within = (to: number) => Math.max(0, Math.min(count - 1, to));
  const many = (by: -1 | 1) =>
    Array.from({ length: PAGE }).reduce((at: number) => layout.step(at, by), index);
  switch (key) {
    case 'ArrowRight':
      return layout.columns > 1 ? within(index + rtl) : undefined;
    case 'ArrowLeft':
      return layout.columns > 1 ? within(index - rtl) : undefined;
    case 'ArrowDown':
      return layout.step(index, 1);
    case 'ArrowUp':
      return layout.step(index, -1);
    case 'PageDown':
      return many(1);
    case 'PageUp':
      return many(-1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
