import { useEffect, useState } from 'preact/hooks';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';

/** What is said of a file without a picture, by the service's code for it. */
const WHY = {
  damaged: 'whyDamaged',
  unsupported: 'whyUnsupported',
  not_media: 'whyUnsupported',
  too_complex: 'whyComplex',
  too_many_pixels: 'whyPixels',
  media_too_large: 'whyLarge',
  no_preview: 'whyPreview',
  locked: 'whyLocked',
} as const;

/** Why there is no picture of a file, in words; asked for once it is known that there is none. */
export function useWhyUnseen(entry: Entry, isUnseen: boolean): string | undefined {
  const { api, texts } = useApp();
  const [code, setCode] = useState<string>();
  const address = api.thumbnail(entry);
  useEffect(() => {
    if (!isUnseen) return;
    let isGone = false;
    api.whyUnseen(entry).then(
      (why) => !isGone && setCode(why),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [api, address, isUnseen]);
  if (!isUnseen || code === undefined || !(code in WHY)) return undefined;
  return texts.say(WHY[code as keyof typeof WHY]);
}
