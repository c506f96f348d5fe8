import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { OrganiseApi } from './api/organise.ts';
import { OrganiseContext } from './organise-context.ts';
import { Texts } from './text/texts.ts';
import { OrganisePage } from './views/page.tsx';

/** Makes the section of what articles are grouped by: categories, tags and authors. */
export function openOrganise(desk: Desk): ComponentType {
  const texts = new Texts(desk.voice, 'organise');
  const organise = { ...desk, api: new OrganiseApi(desk.service), texts };
  return () => (
    <OrganiseContext.Provider value={organise}>
      <OrganisePage />
    </OrganiseContext.Provider>
  );
}
