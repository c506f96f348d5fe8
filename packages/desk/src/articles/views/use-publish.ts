import { useCallback } from 'preact/hooks';
import { storeOrigin } from '../../shared/state/store.ts';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { unseenPictures } from '../state/pictures.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';
import { reasonWords } from './taken-words.ts';

/** The writer's earlier choices: when to publish, and that pictures may go without alternative text. */
export type Decided = 'nothing' | 'when' | 'pictures';

/** Publishes an article, once it is decided when, and what about pictures that readers would not see. */
export function usePublish(
  open: OpenArticle,
  ask: (question: ArticleQuestion) => void,
  decide: () => void,
): (decided?: Decided) => Promise<void> {
  const { address, me, notices, site, texts } = useApp();
  const { say } = texts;
  return useCallback(
    async (decided = 'nothing') => {
      if (!me.may('edit')) return notices.failed(say('roleForbids'));
      if (open.state.peek() === 'conflict') return decide();
      const isPublic = open.article.peek()?.is_published === true;
      if (decided === 'nothing' && !isPublic) return ask({ kind: 'publish' });
      const { content, featuredImage, socialImage } = open.fields.peek();
      const prefixes = site.peek()?.publicPrefixes ?? [];
      const known = { base: address.base, store: storeOrigin(), prefixes };
      const unseen = unseenPictures(content, [featuredImage, socialImage], known);
      if (unseen.length > 0 && decided !== 'pictures') return ask({ kind: 'unseen', addresses: unseen });
      const before = open.taken.peek();
      if (await open.publish()) return notices.settle();
      if (open.state.peek() === 'conflict') return;
      notices.failed(say('notPublished', { reason: reasonWords(open, before, texts) }));
    },
    [open, ask, decide, address, me, notices, say, site, texts],
  );
}
