import type { Pictures } from '../../shared/views/use-upload.ts';
import { useApp } from '../app-context.ts';

/** What an article needs to let its writer choose pictures of the gallery. */
export function usePictures(): Pictures {
  const { gallery, notices, site, texts } = useApp();
  const tell = (words: string | undefined) => {
    if (words === undefined) notices.settle();
    else notices.failed(words);
  };
  return { gallery, publicPrefixes: site.value?.publicPrefixes ?? [], texts, tell };
}
