import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { OrganiseApi } from './api/organise.ts';
import { RedirectsApi } from './api/redirects.ts';
import { OrganiseContext } from './organise-context.ts';
import { Texts } from './text/texts.ts';
import { OrganisePage } from './views/page.tsx';

/** Makes the section of what articles are grouped by, and of where their old addresses lead. */
export function openOrganise(desk: Desk): ComponentType {
  const texts = new Texts(desk.voice, 'organise');
  const { service } = desk;
  const organise = { ...desk, api: new OrganiseApi(service), redirects: new RedirectsApi(service), texts };
  return () => (
    <OrganiseContext.Provider value={organise}>
      <OrganisePage />
    </OrganiseContext.Provider>
  );
}
