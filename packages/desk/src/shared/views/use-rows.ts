import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';

/** The rows that can be seen, and how far everything reaches. */
export interface Rows {
  readonly items: readonly VirtualItem[];
  /** In px. */
  readonly total: number;
  show(index: number): void;
}

interface RowsOptions {
  count: number;
  heightOf: (index: number) => number;
  /** The rows beyond the window that are rendered. */
  overscan: number;
}

/** Renders only the rows in and around the window of a scrolling element; heights in px. */
export function useRows(scroller: RefObject<HTMLElement>, { count, heightOf, overscan }: RowsOptions): Rows {
  const [, draw] = useReducer((turn: number) => turn + 1, 0);
  const options = {
    count,
    estimateSize: heightOf,
    getScrollElement: () => scroller.current,
    overscan,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => draw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, heightOf]);
  return {
    items: virtualizer.getVirtualItems(),
    total: virtualizer.getTotalSize(),
    show: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}

/** The width of an element's content, in px; 0 before it is known. */
export function useWidth(element: RefObject<HTMLElement>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
