import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { PeopleApi } from './api/people.ts';
import { PeopleContext } from './people-context.ts';
import { Texts } from './text/texts.ts';
import { PeoplePage } from './views/page.tsx';
import { TrailPage } from './views/trail.tsx';

/** Makes the section of owners: who works at the desk, and as what. */
export function openPeople(desk: Desk): ComponentType {
  const people = { ...desk, api: new PeopleApi(desk.service), texts: new Texts(desk.voice, 'people') };
  return () => (
    <PeopleContext.Provider value={people}>
      {desk.address.here.value.rest === 'trail' ? <TrailPage /> : <PeoplePage />}
    </PeopleContext.Provider>
  );
}
