import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { GalleryApi } from './api/gallery.ts';
import type { Clipboard } from './state/clipboard.ts';
import type { Dialogs } from './state/dialogs.ts';
import type { Folder } from './state/folder.ts';
import type { Place } from './state/place.ts';
import type { Selection } from './state/selection.ts';
import type { Tasks } from './state/tasks.ts';
import type { Transfers } from './state/transfers.ts';
import type { Uploads } from './state/uploads.ts';
import type { Uses } from './state/uses.ts';
import type { Texts } from './text/texts.ts';

/** What the section is made of; `media.tsx` puts it together. */
export interface App extends Desk {
  readonly api: GalleryApi;
  readonly clipboard: Clipboard;
  readonly dialogs: Dialogs;
  readonly folder: Folder;
  readonly place: Place;
  readonly selection: Selection;
  readonly tasks: Tasks;
  readonly texts: Texts;
  readonly transfers: Transfers;
  readonly uploads: Uploads;
  readonly uses: Uses;
}

/** Hands the parts to every view. */
export const AppContext = createContext<App | undefined>(undefined);

/** The parts of the section. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('there is no app around this view');
  return app;
}
