import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { HomeApi } from './api/home.ts';
import type { Texts } from './text/texts.ts';

/** The parts of the section; `home.tsx` puts them together. */
export interface Home extends Desk {
  readonly api: HomeApi;
  readonly texts: Texts;
}

export const HomeContext = createContext<Home | undefined>(undefined);

export function useHome(): Home {
  const home = useContext(HomeContext);
  if (home === undefined) throw new Error('there is no section around this view');
  return home;
}
