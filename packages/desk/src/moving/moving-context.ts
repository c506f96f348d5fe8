import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { ImportsApi } from './api/imports.ts';
import type { Texts } from './text/texts.ts';

/** The parts of the section; `moving.tsx` puts them together. */
export interface Moving extends Desk {
  readonly api: ImportsApi;
  readonly texts: Texts;
}

export const MovingContext = createContext<Moving | undefined>(undefined);

export function useMoving(): Moving {
  const moving = useContext(MovingContext);
  if (moving === undefined) throw new Error('there is no section around this view');
  return moving;
}
