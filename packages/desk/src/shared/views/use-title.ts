import { useEffect } from 'preact/hooks';
import { useDesk } from '../desk.ts';

/** Names what the document shows, from the narrowest to the widest, before the desk itself. */
export function useTitle(...names: readonly string[]): void {
  const title = [...names, useDesk().texts.say('desk')].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
