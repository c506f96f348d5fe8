import { useCallback } from 'preact/hooks';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import { SHORTEST } from '../state/fields.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { unseenPictures } from '../state/pictures.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';

/** Publishes an article; pictures that readers would not see are asked about first. */
export function usePublish(
  open: OpenArticle,
  ask: (question: ArticleQuestion) => void,
  decide: () => void,
): (isDecided?: boolean) => Promise<void> {
  const { address, me, notices, site, texts } = useApp();
  const { say } = texts;
  return useCallback(
    async (isDecided = false) => {
      if (!me.may('edit')) return notices.failed(say('roleForbids'));
      if (open.state.peek() === 'conflict') return decide();
      const store = document.querySelector<HTMLMetaElement>('meta[name="pressroom-store"]')?.content ?? '';
      const { content, featuredImage } = open.fields.peek();
      const prefixes = site.peek()?.publicPrefixes ?? [];
      const unseen = unseenPictures(content, featuredImage, { base: address.base, store, prefixes });
      if (unseen.length > 0 && !isDecided) return ask({ kind: 'unseen', addresses: unseen });
      if (await open.publish()) return;
      const problem = open.problem.peek();
      const state = open.state.peek();
      if (state === 'conflict') return;
      const reason =
        state === 'failed' && problem !== undefined
          ? problemWords(problem, say)
          : say('needsMore', { count: SHORTEST });
      notices.failed(say('notPublished', { reason }));
    },
    [open, ask, decide, address, me, notices, say, site],
  );
}
