import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { NewsroomApi } from './api/newsroom.ts';
import type { Vocabulary } from './api/types.ts';
import type { Edits } from './state/edits.ts';
import type { Items } from './state/items.ts';
import type { Texts } from './text/texts.ts';

/** The parts of the section; `news.tsx` puts them together. */
export interface News extends Pick<Desk, 'address' | 'announce' | 'connection' | 'me'> {
  readonly api: NewsroomApi;
  readonly edits: Edits;
  readonly items: Items;
  readonly texts: Texts;
  /** Settings of sources, by their id, that were typed and are not saved, and what they would replace. */
  readonly typed: Map<number, { readonly etag: string | null; readonly values: object }>;
  /** Undefined until the newsroom has answered. */
  readonly vocabulary: ReadonlySignal<Vocabulary | undefined>;
}

export const NewsContext = createContext<News | undefined>(undefined);

export function useNews(): News {
  const news = useContext(NewsContext);
  if (news === undefined) throw new Error('there is no section around this view');
  return news;
}
