import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { HomeApi } from './api/home.ts';
import { HomeContext } from './home-context.ts';
import { Texts } from './text/texts.ts';
import { HomePage } from './views/page.tsx';

/** Makes the page with which the desk begins: what waits for whoever is logged in. */
export function openHome(desk: Desk): ComponentType {
  const home = { ...desk, api: new HomeApi(desk.service), texts: new Texts(desk.voice, 'home') };
  return () => (
    <HomeContext.Provider value={home}>
      <HomePage />
    </HomeContext.Provider>
  );
}
