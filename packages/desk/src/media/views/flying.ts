import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext, type RefObject } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The speed from which pictures are unrecognizable, in px/ms. */
const FAST = 3;

/** The time since the last fast movement after which the scrolling has settled, in ms. */
const SETTLED_MS = 120;

const Flying = createContext<ReadonlySignal<boolean>>(signal(false));

/** Hands down whether the listing flies past. */
export const FlyingProvider = Flying.Provider;

/** True while an element scrolls so fast that its contents only fly past. */
export function useFlying(scroller: RefObject<HTMLElement>): ReadonlySignal<boolean> {
  const [flying] = useState(() => signal(false));
  // Before the rows, which are rendered as soon as they hear of a scroll, and then know how fast it is.
  useLayoutEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    let last = { top: current.scrollTop, at: performance.now() };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      const now = { top: current.scrollTop, at: performance.now() };
      // After a rest, one event may stand for a long way: it counts as one frame.
      const ms = Math.min(Math.max(now.at - last.at, 1), 17);
      const isFast = Math.abs(now.top - last.top) / ms > FAST;
      last = now;
      if (!isFast) return;
      flying.value = true;
      clearTimeout(timer);
      timer = setTimeout(() => {
        flying.value = false;
      }, SETTLED_MS);
    };
    current.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      current.removeEventListener('scroll', onScroll);
    };
  }, [scroller, flying]);
  return flying;
}

/** True once the listing around it does not fly past; it then stays true. */
export function useSettled(): boolean {
  const flying = useContext(Flying);
  const isSettled = useRef(false);
  // Whoever reads the signal is rendered again when it changes; what has settled reads it no longer.
  isSettled.current ||= !flying.value;
  return isSettled.current;
}
