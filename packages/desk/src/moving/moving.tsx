import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { ImportsApi } from './api/imports.ts';
import { MovingContext } from './moving-context.ts';
import { Texts } from './text/texts.ts';
import { MovingPage } from './views/page.tsx';

/** Makes the section by which articles of other sites come in, and everything goes out. */
export function openMoving(desk: Desk): ComponentType {
  const moving = { ...desk, api: new ImportsApi(desk.service), texts: new Texts(desk.voice, 'moving') };
  return () => (
    <MovingContext.Provider value={moving}>
      <MovingPage />
    </MovingContext.Provider>
  );
}
