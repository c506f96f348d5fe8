import './styles/page.css';
import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { GalleryApi } from './api/gallery.ts';
import { type App, AppContext } from './app-context.ts';
import { Clipboard } from './state/clipboard.ts';
import { Connection } from './state/connection.ts';
import { Dialogs } from './state/dialogs.ts';
import { Folder } from './state/folder.ts';
import { Place, parentOf } from './state/place.ts';
import { Preferences } from './state/preferences.ts';
import { Selection } from './state/selection.ts';
import { Session } from './state/session.ts';
import { Tasks } from './state/tasks.ts';
import { Transfers } from './state/transfers.ts';
import { Uploads } from './state/uploads.ts';
import { Uses } from './state/uses.ts';
import { Texts } from './text/texts.ts';
import { Page } from './views/page.tsx';

const said = signal('');
const preferences = new Preferences();
const texts = new Texts(preferences.language);
const session = new Session();
const store = document.querySelector<HTMLMetaElement>('meta[name="pressroom-store"]')?.content ?? '';
const base = new URL('.', location.href);
const connection = new Connection(() => fetch(base, { method: 'HEAD', cache: 'no-store' }));
const api = new GalleryApi(
  base,
  store,
  () => session.wait(),
  () => connection.lost(),
);
const place = new Place();
const selection = new Selection();
const dialogs = new Dialogs();
const folder = new Folder(api, place);
const tasks = new Tasks(api, async (removed) => {
  folder.forget(removed);
  await folder.refresh();
});
const uses = new Uses(api, dialogs);
const transfers = new Transfers(api, tasks, dialogs, uses);
const uploads = new Uploads(api, dialogs, (key) => {
  if (parentOf(key).startsWith(place.value.peek().folder)) refreshSoon();
});
const announce = (text: string) => {
  said.value = text;
};
const app: App = {
  api,
  clipboard: new Clipboard(),
  connection,
  dialogs,
  folder,
  place,
  preferences,
  selection,
  session,
  tasks,
  texts,
  transfers,
  uploads,
  uses,
  announce,
};

let refreshing: ReturnType<typeof setTimeout> | undefined;

/** Many files may arrive within a second. */
function refreshSoon(): void {
  clearTimeout(refreshing);
  refreshing = setTimeout(() => void folder.refresh(), 300);
}

// What is selected is in this folder, and still there.
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
  void folder.refresh();
  void uploads.retryLost();
});

const root = document.getElementById('page');
if (root !== null) {
  render(
    <AppContext.Provider value={app}>
      <Page said={said} />
    </AppContext.Provider>,
    root,
  );
}
