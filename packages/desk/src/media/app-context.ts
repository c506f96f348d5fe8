import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { GalleryApi } from './api/gallery.ts';
import type { Dialogs } from './state/dialogs.ts';
import type { Folder } from './state/folder.ts';
import type { Place } from './state/place.ts';
import type { Selection } from './state/selection.ts';
import type { Tasks } from './state/tasks.ts';
import type { Transfers } from './state/transfers.ts';
import type { Uploads } from './state/uploads.ts';
import type { Uses } from './state/uses.ts';
import type { Visibility } from './state/visibility.ts';
import type { Texts } from './text/texts.ts';

export interface Clip {
  readonly action: 'move' | 'copy';
  readonly paths: readonly string[];
}

/** The parts of the section; `media.tsx` puts them together. */
export interface App extends Desk {
  readonly api: GalleryApi;
  /** Paths that were cut or copied in the page; a paste carries files of the system itself. */
  readonly clip: Signal<Clip | undefined>;
  readonly dialogs: Dialogs;
  readonly folder: Folder;
  readonly place: Place;
  readonly selection: Selection;
  readonly tasks: Tasks;
  readonly texts: Texts;
  readonly transfers: Transfers;
  readonly uploads: Uploads;
  readonly uses: Uses;
  readonly visibility: Visibility;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('there is no app around this view');
  return app;
}
