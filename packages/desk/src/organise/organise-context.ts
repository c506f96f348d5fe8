import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { OrganiseApi } from './api/organise.ts';
import type { RedirectsApi } from './api/redirects.ts';
import type { Texts } from './text/texts.ts';

/** The parts of the section; `organise.tsx` puts them together. */
export interface Organise extends Desk {
  readonly api: OrganiseApi;
  readonly redirects: RedirectsApi;
  readonly texts: Texts;
}

export const OrganiseContext = createContext<Organise | undefined>(undefined);

export function useOrganise(): Organise {
  const organise = useContext(OrganiseContext);
  if (organise === undefined) throw new Error('there is no section around this view');
  return organise;
}
