import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { OperationsApi } from './api/operations.ts';
import { OperationsContext } from './operations-context.ts';
import { Texts } from './text/texts.ts';
import { OperationsPage } from './views/page.tsx';

/** Makes the page of owners on which they see how the site runs. */
export function openOperations(desk: Desk): ComponentType {
  const operations = {
    ...desk,
    api: new OperationsApi(desk.service),
    texts: new Texts(desk.voice, 'operations'),
  };
  return () => (
    <OperationsContext.Provider value={operations}>
      <OperationsPage />
    </OperationsContext.Provider>
  );
}
