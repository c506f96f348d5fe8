import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { OrganiseApi } from './api/organise.ts';
import type { Texts } from './text/texts.ts';

/** What the section is made of; `organise.tsx` puts it together. */
export interface Organise extends Desk {
  readonly api: OrganiseApi;
  readonly texts: Texts;
}

export const OrganiseContext = createContext<Organise | undefined>(undefined);

export function useOrganise(): Organise {
  const organise = useContext(OrganiseContext);
  if (organise === undefined) throw new Error('there is no section around this view');
  return organise;
}
