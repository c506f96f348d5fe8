import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import type { CommentMarks } from '../editor/editing/comment-marks.ts';
import type { Comments } from '../state/comments.ts';
import type { OpenArticle } from '../state/open-article.ts';
import type { CommentsPanelProps } from './comments-panel.tsx';

/** The longest time until another person's comment is seen, in ms. */
const POLL_MS = 15_000;

interface Loaded {
  readonly comments: Comments;
  readonly CommentsPanel: ComponentType<CommentsPanelProps>;
}

interface OpenComments extends Partial<Loaded> {
  readonly marks: CommentMarks | undefined;
  readonly isShown: boolean;
  readonly show: (isShown: boolean) => void;
}

/** The comments on the open article; they load once the article has. */
export function useComments(open: OpenArticle): OpenComments {
  const { service } = useApp();
  const id = open.article.value?.id;
  const isSaved = open.state.value === 'clean';
  const [isShown, show] = useState(false);
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    if (id === undefined) return;
    let comments: Comments | undefined;
    let isOver = false;
    const look = () => {
      if (document.visibilityState === 'visible') void comments?.load().catch(() => undefined);
    };
    const open = async () => {
      const { commentsOf, CommentsPanel } = await import('./comments-panel.tsx');
      comments = commentsOf(service, id);
      await comments.load();
      if (!isOver) setLoaded({ comments, CommentsPanel });
    };
    // Without them the article is written all the same.
    open().catch(() => undefined);
    const timer = setInterval(look, POLL_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      isOver = true;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      setLoaded(undefined);
    };
  }, [id, service]);
  const comments = loaded?.comments;
  useEffect(() => {
    // A comment whose place is gone is found again by its words, as far as they are there.
    if (isSaved) comments?.settle().catch(() => undefined);
  }, [comments, isSaved]);
  const list = comments?.list.value;
  const active = comments?.active.value;
  const marks = useMemo<CommentMarks | undefined>(() => {
    if (comments === undefined || list === undefined) return undefined;
    return {
      places: list.flatMap(({ id, anchor, resolved_at: resolvedAt }) =>
        anchor !== null && resolvedAt === null ? [{ id, anchor }] : [],
      ),
      active,
      onComment: (anchor) => {
        comments.draft.value = anchor ?? null;
        show(true);
      },
      onOpen: (one) => {
        comments.active.value = { id: one, isInText: true };
        show(true);
      },
      onPlaces: (places) => comments.place(places),
    };
  }, [comments, list, active]);
  return { ...loaded, marks, isShown, show };
}
