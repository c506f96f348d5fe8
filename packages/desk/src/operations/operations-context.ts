import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { OperationsApi } from './api/operations.ts';
import type { Texts } from './text/texts.ts';

/** The parts of the section; `operations.tsx` puts them together. */
export interface Operations extends Desk {
  readonly api: OperationsApi;
  readonly texts: Texts;
}

export const OperationsContext = createContext<Operations | undefined>(undefined);

export function useOperations(): Operations {
  const operations = useContext(OperationsContext);
  if (operations === undefined) throw new Error('there is no section around this view');
  return operations;
}
