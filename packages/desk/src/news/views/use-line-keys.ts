import type { RefObject } from 'preact';
import { useKeys } from './use-keys.ts';

/** Lets j and k go through the links of a list. */
export function useLineKeys(scroller: RefObject<HTMLElement>): void {
  const go = (by: number) => {
    const links = [...(scroller.current?.querySelectorAll<HTMLElement>('a.item-title') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[Math.max(0, at + by)]?.focus();
  };
  useKeys({ j: () => go(1), k: () => go(-1) });
}
