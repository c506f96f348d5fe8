import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { GalleryApi } from './api/gallery.ts';
import type { Clipboard } from './state/clipboard.ts';
import type { Connection } from './state/connection.ts';
import type { Dialogs } from './state/dialogs.ts';
import type { Folder } from './state/folder.ts';
import type { Place } from './state/place.ts';
import type { Preferences } from './state/preferences.ts';
import type { Selection } from './state/selection.ts';
import type { Session } from './state/session.ts';
import type { Tasks } from './state/tasks.ts';
import type { Transfers } from './state/transfers.ts';
import type { Uploads } from './state/uploads.ts';
import type { Uses } from './state/uses.ts';
import type { Texts } from './text/texts.ts';

/** What the page is made of; `main.tsx` puts it together. */
export interface App {
  readonly api: GalleryApi;
  readonly clipboard: Clipboard;
  readonly connection: Connection;
  readonly dialogs: Dialogs;
  readonly folder: Folder;
  readonly place: Place;
  readonly preferences: Preferences;
  readonly selection: Selection;
  readonly session: Session;
  readonly tasks: Tasks;
  readonly texts: Texts;
  readonly transfers: Transfers;
  readonly uploads: Uploads;
  readonly uses: Uses;
  /** Says something to people who hear the page. */
  readonly announce: (text: string) => void;
}

/** Hands the parts to every view. */
export const AppContext = createContext<App | undefined>(undefined);

/** The parts of the page. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('there is no app around this view');
  return app;
}
