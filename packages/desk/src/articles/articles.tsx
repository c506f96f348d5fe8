import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { GalleryApi } from '../media/api/gallery.ts';
import type { Desk } from '../shared/desk.ts';
import { storeOrigin } from '../shared/state/store.ts';
import { ContentApi } from './api/content.ts';
import type { SiteFacts } from './api/types.ts';
import { type App, AppContext } from './app-context.ts';
import { ArticleList } from './state/article-list.ts';
import { Notices } from './state/notices.ts';
import { Place } from './state/place.ts';
import { Presence } from './state/presence.ts';
import { SavedFilters } from './state/saved-filters.ts';
import { Terms } from './state/terms.ts';
import { Texts } from './text/texts.ts';
import { Page } from './views/page.tsx';

/** Makes the articles section: what is written, and the page on which it is written. */
export function openArticles(desk: Desk): ComponentType {
  const { app, learn } = appOf(desk);
  return function Articles() {
    // An import, *Organise* and the settings change it while other sections are shown.
    useEffect(() => void learn(), []);
    return (
      <AppContext.Provider value={app}>
        <Page />
      </AppContext.Provider>
    );
  };
}

function appOf(desk: Desk): { readonly app: App; readonly learn: () => Promise<void> } {
  const { address, connection, me, service, voice } = desk;
  const api = new ContentApi(service, async () => {
    await me.known();
    return me.profile.peek()?.authorId ?? null;
  });
  const place = new Place(address);
  const list = new ArticleList(api, place);
  const terms = new Terms(api);
  const filters = new SavedFilters(service);
  const site = signal<SiteFacts | undefined>(undefined);
  const learn = async () => {
    site.value = await api.site().catch(() => site.peek());
    await Promise.all([terms.load(), filters.load().catch(() => undefined)]);
  };
  connection.returns.subscribe((count) => {
    if (count === 0) return;
    void learn();
    void list.refresh();
  });
  const app = {
    ...desk,
    api,
    filters,
    gallery: new GalleryApi(service, storeOrigin()),
    list,
    notices: new Notices(),
    place,
    presence: new Presence(service),
    site,
    terms,
    texts: new Texts(voice, 'articles'),
  };
  return { app, learn };
}
