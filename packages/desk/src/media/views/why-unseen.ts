import { useEffect, useState } from 'preact/hooks';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';

/** The words for a file without a picture, by the service's code. */
const WHY = {
  damaged: 'whyDamaged',
  incomplete: 'whyIncomplete',
  unsupported: 'whyUnsupported',
  not_media: 'whyUnsupported',
  too_complex: 'whyComplex',
  too_many_pixels: 'whyPixels',
  media_too_large: 'whyLarge',
  no_preview: 'whyPreview',
  locked: 'whyLocked',
} as const;

/** Why there is no picture of a file, or only a part of one, in words; asked for where it is of interest. */
export function useWhyUnseen(entry: Entry, isOfInterest: boolean): string | undefined {
  const { api, texts } = useApp();
  const [code, setCode] = useState<string>();
  const address = api.thumbnail(entry);
  useEffect(() => {
    if (!isOfInterest) return;
    let isGone = false;
    api.whyUnseen(entry).then(
      (why) => !isGone && setCode(why),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [api, address, isOfInterest]);
  if (!isOfInterest || code === undefined || !(code in WHY)) return undefined;
  return texts.say(WHY[code as keyof typeof WHY]);
}
