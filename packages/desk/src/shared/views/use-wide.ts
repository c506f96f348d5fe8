import { useEffect, useState } from 'preact/hooks';

const WIDE = '(min-width: 1000px)';

/** True if the window has room for two panes side by side. */
export function useWide(): boolean {
  return useMedia(WIDE);
}

/** True while a media query, always the same, matches. */
export function useMedia(query: string): boolean {
  const [isMatch, setMatch] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const onChange = () => setMatch(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, []);
  return isMatch;
}
