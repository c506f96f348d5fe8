import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { GallerySettingsApi } from './api/gallery-settings.ts';
import { IntegrationsApi } from './api/integrations.ts';
import { NewsSettingsApi } from './api/news-settings.ts';
import { PeopleApi } from './api/people.ts';
import { SiteApi } from './api/site.ts';
import { PeopleContext } from './people-context.ts';
import { Texts } from './text/texts.ts';
import { GalleryPage } from './views/gallery.tsx';
import { HooksPage } from './views/hooks.tsx';
import { KeysPage } from './views/keys.tsx';
import { NewsSettingsPage } from './views/news.tsx';
import { PeoplePage } from './views/page.tsx';
import { SitePage } from './views/site.tsx';
import { TrailPage } from './views/trail.tsx';

const PAGES: Readonly<Record<string, ComponentType>> = {
  site: SitePage,
  news: NewsSettingsPage,
  gallery: GalleryPage,
  keys: KeysPage,
  hooks: HooksPage,
  trail: TrailPage,
};

/** Makes the section of owners: who works at the desk and as what, and which programs have a way in. */
export function openPeople(desk: Desk): ComponentType {
  const people = {
    ...desk,
    api: new PeopleApi(desk.service),
    integrations: new IntegrationsApi(desk.service),
    news: new NewsSettingsApi(desk.service),
    gallery: new GallerySettingsApi(desk.service),
    site: new SiteApi(desk.service),
    texts: new Texts(desk.voice, 'people'),
    drafts: { site: {}, news: {}, gallery: {} },
  };
  return () => {
    const Page = PAGES[desk.address.here.value.rest] ?? PeoplePage;
    return (
      <PeopleContext.Provider value={people}>
        <Page />
      </PeopleContext.Provider>
    );
  };
}
