import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { GalleryApi } from '../media/api/gallery.ts';
import type { Desk } from '../shared/desk.ts';
import type { ContentApi } from './api/content.ts';
import type { SiteFacts } from './api/types.ts';
import type { ArticleList } from './state/article-list.ts';
import type { Notices } from './state/notices.ts';
import type { Place } from './state/place.ts';
import type { Presence } from './state/presence.ts';
import type { SavedFilters } from './state/saved-filters.ts';
import type { Terms } from './state/terms.ts';
import type { Texts } from './text/texts.ts';

/** The parts of the section; `articles.tsx` puts them together. */
export interface App extends Desk {
  readonly api: ContentApi;
  readonly filters: SavedFilters;
  readonly gallery: GalleryApi;
  readonly list: ArticleList;
  readonly notices: Notices;
  readonly place: Place;
  readonly presence: Presence;
  /** Undefined until the service has answered. */
  readonly site: ReadonlySignal<SiteFacts | undefined>;
  readonly terms: Terms;
  readonly texts: Texts;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('there is no app around this view');
  return app;
}
