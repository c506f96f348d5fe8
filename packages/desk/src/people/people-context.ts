import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { GallerySettingsApi } from './api/gallery-settings.ts';
import type { IntegrationsApi } from './api/integrations.ts';
import type { NewsSettingsApi } from './api/news-settings.ts';
import type { PeopleApi } from './api/people.ts';
import type { SiteApi } from './api/site.ts';
import type { Texts } from './text/texts.ts';

/** The parts of the section; `people.tsx` puts them together. */
export interface People extends Desk {
  readonly api: PeopleApi;
  readonly integrations: IntegrationsApi;
  readonly news: NewsSettingsApi;
  readonly gallery: GallerySettingsApi;
  readonly site: SiteApi;
  readonly texts: Texts;
}

export const PeopleContext = createContext<People | undefined>(undefined);

export function usePeople(): People {
  const people = useContext(PeopleContext);
  if (people === undefined) throw new Error('there is no section around this view');
  return people;
}
