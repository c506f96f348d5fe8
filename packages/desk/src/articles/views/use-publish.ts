import { useCallback } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { unseenPictures } from '../state/pictures.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';

/** Publishes an article; pictures that readers would not see are asked about first. */
export function usePublish(
  open: OpenArticle,
  ask: (question: ArticleQuestion) => void,
): (isDecided?: boolean) => Promise<void> {
  const { address, site } = useApp();
  return useCallback(
    async (isDecided = false) => {
      const store = document.querySelector<HTMLMetaElement>('meta[name="pressroom-store"]')?.content ?? '';
      const { content, featuredImage } = open.fields.peek();
      const prefixes = site.peek()?.publicPrefixes ?? [];
      const unseen = unseenPictures(content, featuredImage, { base: address.base, store, prefixes });
      if (unseen.length > 0 && !isDecided) return ask({ kind: 'unseen', addresses: unseen });
      await open.publish();
    },
    [open, ask, address, site],
  );
}
