import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import type { Seat } from '../state/presence.ts';
import { mayChange } from '../state/rights.ts';

/** The seats at an article: of this page, and of the others that have it open. */
export interface ArticleSeat {
  readonly own: Seat | undefined;
  readonly others: readonly Seat[];
  /** The other page that writes it, if there is one. */
  readonly writer: Seat | undefined;
  /** Also while nothing is known of others: what two write at once is merged. */
  readonly isWriting: boolean;
}

/** Says that the article is open here, and gives it up when it is left. */
export function useSeat(open: OpenArticle): ArticleSeat {
  const { announce, me, presence, texts } = useApp();
  const article = open.article.value;
  const id = article?.id;
  const mode = mayChange(me, article) ? 'writing' : 'looking';
  useEffect(() => {
    if (id === undefined) return;
    void presence.enter(id, mode);
    return () => void presence.leave();
  }, [id, mode, presence]);
  const own = presence.seats.value.find((seat) => seat.isThis && seat.article === id);
  const others = presence.othersAt(id);
  const writer = others.find((seat) => seat.mode === 'writing');
  const isFree = own?.mode === 'waiting' && writer === undefined;
  useEffect(() => {
    if (isFree && id !== undefined) void presence.enter(id, 'writing');
  }, [isFree, id, presence]);
  const isWriting = own === undefined || own.mode === 'writing';
  const wasWriting = useRef(true);
  useEffect(() => {
    if (isWriting && !wasWriting.current) {
      void open.renew();
      announce(texts.say('yourTurn'));
    }
    wasWriting.current = isWriting;
  }, [announce, isWriting, open, texts]);
  const takenBy = own?.takenBy;
  useEffect(() => {
    if (typeof takenBy === 'string') void open.save();
  }, [open, takenBy]);
  return { own, others, writer, isWriting };
}
