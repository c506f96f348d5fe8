import { useEffect, useRef } from 'preact/hooks';

export type Keys = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>;

/** Keys that work wherever the focus is, except in a field, a dialog or a menu. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target as HTMLElement;
      if (target.closest('input:not([type="checkbox"]), textarea, select, dialog, [role="menu"]')) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
