import { useEffect } from 'preact/hooks';

/** The interval between looks at what others do, in ms. */
const FOLLOW_MS = 15_000;

/** Looks when a view opens, and then again and again while somebody can see it. */
export function useFollowing(look: (isOpening: boolean) => Promise<unknown>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    const go = async (isOpening: boolean) => {
      clearTimeout(timer);
      // What cannot be looked at now can be later: nobody has asked for it.
      if (document.visibilityState === 'visible') await look(isOpening).catch(() => undefined);
      if (isLeft) return;
      clearTimeout(timer);
      timer = setTimeout(() => void go(false), FOLLOW_MS);
    };
    const onVisible = () => {
      if (document.visibilityState === 'visible') void go(false);
    };
    document.addEventListener('visibilitychange', onVisible);
    void go(true);
    return () => {
      isLeft = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, []);
}
