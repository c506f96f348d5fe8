import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { GAP, type Layout } from './layout.ts';

interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The distance that turns a press into a marquee, in px. */
const SLACK = 6;

/** Selects entries with a rectangle that the mouse draws from an empty place. */
export function useMarquee(scroller: RefObject<HTMLElement>, entries: readonly Entry[], layout: Layout) {
  const { selection } = useApp();
  const [area, setArea] = useState<Area>();
  const now = useRef({ entries, layout });
  now.current = { entries, layout };
  const begin = (event: PointerEvent) => {
    const { current } = scroller;
    const isEmpty = !(event.target as HTMLElement).closest('.card, .line, button, input, a');
    if (current === null || event.button !== 0 || event.pointerType !== 'mouse' || !isEmpty) return;
    const rows = current.querySelector('.rows');
    if (rows === null) return;
    const pointOf = ({ clientX, clientY }: PointerEvent) => {
      const box = rows.getBoundingClientRect();
      return { x: clientX - box.left, y: clientY - box.top };
    };
    const from = pointOf(event);
    const before = event.ctrlKey || event.metaKey ? selection.paths.peek() : new Set<string>();
    let drawn = false;
    const move = (moved: PointerEvent) => {
      const to = pointOf(moved);
      drawn ||= Math.hypot(to.x - from.x, to.y - from.y) > SLACK;
      if (!drawn) return;
      const drawing = {
        left: Math.min(from.x, to.x),
        right: Math.max(from.x, to.x),
        top: Math.min(from.y, to.y),
        bottom: Math.max(from.y, to.y),
      };
      setArea(drawing);
      const { entries: all, layout: laid } = now.current;
      selection.set([...before, ...within(drawing, all, laid, rows.clientWidth)]);
      scrollAtEdge(current, moved.clientY);
    };
    const end = () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      setArea(undefined);
      if (!drawn && before.size === 0) selection.clear();
      // The next key applies to the files that the mouse has chosen.
      const chosen = [...selection.paths.peek()];
      if (drawn && chosen.length > 0) selection.focus(chosen.at(-1));
      current.querySelector<HTMLElement>('[data-active="true"]')?.focus({ preventScroll: true });
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  };
  return { area, begin };
}

export function Marquee({ area }: { area: Area | undefined }) {
  if (area === undefined) return null;
  const { left, top, right, bottom } = area;
  const style = {
    transform: `translate(${left}px, ${top}px)`,
    width: `${right - left}px`,
    height: `${bottom - top}px`,
  };
  return <div class="marquee" style={style} />;
}

/** The paths whose cells the area touches; rows out of sight have no elements, so it is calculated. */
function within(area: Area, entries: readonly Entry[], layout: Layout, width: number): string[] {
  const found: string[] = [];
  const cell = width / layout.columns;
  let top = 0;
  for (let row = 0; row < layout.rows && top < area.bottom; row += 1) {
    const bottom = top + layout.heightOf(row);
    if (bottom - GAP > area.top) {
      const [from, to] = layout.rangeOf(row);
      for (let index = from; index < to; index += 1) {
        const left = (index - from) * cell;
        const entry = entries[index];
        if (entry !== undefined && left < area.right && left + cell - GAP > area.left) found.push(entry.path);
      }
    }
    top = bottom;
  }
  return found;
}

function scrollAtEdge(scroller: HTMLElement, y: number): void {
  const { top, bottom } = scroller.getBoundingClientRect();
  if (y > bottom - 24) scroller.scrollBy(0, 24);
  if (y < top + 24) scroller.scrollBy(0, -24);
}
