import { effect, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { errorWords } from '../shared/views/problem-view.tsx';
import { GalleryApi } from './api/gallery.ts';
import { type App, AppContext, type Clip } from './app-context.ts';
import { Dialogs } from './state/dialogs.ts';
import { Folder } from './state/folder.ts';
import { Place, parentOf } from './state/place.ts';
import { Selection } from './state/selection.ts';
import { Tasks } from './state/tasks.ts';
import { Transfers } from './state/transfers.ts';
import { UploadMemory } from './state/upload-memory.ts';
import { Uploads } from './state/uploads.ts';
import { Uses } from './state/uses.ts';
import { Visibility } from './state/visibility.ts';
import { Texts } from './text/texts.ts';
import { Page } from './views/page.tsx';

/** Makes the media section: the folders and files of the active bucket. */
export function openMedia(desk: Desk): ComponentType {
  const app = appOf(desk);
  return function Media() {
    return (
      <AppContext.Provider value={app}>
        <Page />
      </AppContext.Provider>
    );
  };
}

function appOf(desk: Desk): App {
  const { address, connection, me, service, voice } = desk;
  const store = document.querySelector<HTMLMetaElement>('meta[name="pressroom-store"]')?.content ?? '';
  const api = new GalleryApi(service, store);
  const place = new Place(address);
  const selection = new Selection();
  const dialogs = new Dialogs();
  const folder = new Folder(api, place);
  const tasks = new Tasks(api, me, async (removed) => {
    folder.forget(removed);
    await folder.refresh();
  });
  const visibility = new Visibility(api);
  void visibility.learn();
  const uses = new Uses({
    ...{ api, dialogs, visibility },
    words: (error) => errorWords(error, desk.texts.say),
  });
  const transfers = new Transfers(api, tasks, dialogs, uses);
  let refreshing: ReturnType<typeof setTimeout> | undefined;
  const uploads = new Uploads(api, new UploadMemory(me), dialogs, (key) => {
    if (!parentOf(key).startsWith(place.value.peek().folder)) return;
    // Many files may arrive within a second.
    clearTimeout(refreshing);
    refreshing = setTimeout(() => void folder.refresh(), 300);
  });

  // The selection holds only files of this folder that are still there.
  effect(() => {
    place.value.value.folder;
    selection.clear();
  });
  effect(() => {
    const loaded = folder.loaded.value;
    if (selection.paths.peek().size > 0) selection.keep(new Set(loaded.map(({ path }) => path)));
  });

  connection.returns.subscribe((count) => {
    if (count === 0) return;
    void visibility.learn();
    void folder.refresh();
    void uploads.retryLost();
  });
  return {
    ...desk,
    api,
    clip: signal<Clip | undefined>(undefined),
    dialogs,
    folder,
    place,
    selection,
    tasks,
    texts: new Texts(voice, 'media'),
    transfers,
    uploads,
    uses,
    visibility,
  };
}
