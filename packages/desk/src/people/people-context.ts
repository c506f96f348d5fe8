import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { GallerySettingsApi, ReadGallerySettings } from './api/gallery-settings.ts';
import type { IntegrationsApi } from './api/integrations.ts';
import type { NewsSettings, NewsSettingsApi } from './api/news-settings.ts';
import type { PeopleApi } from './api/people.ts';
import type { SiteApi, SiteChange, SiteSettings } from './api/site.ts';
import type { Texts } from './text/texts.ts';
import type { TypedGallery } from './views/gallery.tsx';
import type { TypedNews } from './views/news.tsx';
import type { Draft } from './views/settings-form.tsx';

/** The parts of the section; `people.tsx` puts them together. */
export interface People extends Desk {
  readonly api: PeopleApi;
  readonly integrations: IntegrationsApi;
  readonly news: NewsSettingsApi;
  readonly gallery: GallerySettingsApi;
  readonly site: SiteApi;
  readonly texts: Texts;
  /** What was typed into the forms of settings, and is not saved. */
  readonly drafts: {
    readonly site: Draft<SiteSettings, SiteChange>;
    readonly news: Draft<NewsSettings, TypedNews>;
    readonly gallery: Draft<ReadGallerySettings, TypedGallery>;
  };
}

export const PeopleContext = createContext<People | undefined>(undefined);

export function usePeople(): People {
  const people = useContext(PeopleContext);
  if (people === undefined) throw new Error('there is no section around this view');
  return people;
}
