import { lazy, Suspense } from 'preact/compat';
import { useEffect } from 'preact/hooks';
import { useTitle } from '../../shared/desk.ts';
import { Icon } from '../../shared/views/icon.tsx';
import { useFileDrops } from '../../shared/views/use-file-drops.ts';
import { type App, useApp } from '../app-context.ts';
import { droppedFiles } from '../state/dropped-files.ts';
import { useActions } from './actions.ts';
import { Files } from './files.tsx';
import { MediaHeader } from './header.tsx';

const load = () => import('./later.ts');
const Activity = lazy(() => load().then(({ Activity: View }) => ({ default: View })));
const Dialogs = lazy(() => load().then(({ Dialogs: View }) => ({ default: View })));
const UploadPanel = lazy(() => load().then(({ UploadPanel: View }) => ({ default: View })));
const Viewer = lazy(() => load().then(({ Viewer: View }) => ({ default: View })));
const Buckets = lazy(() => import('./buckets.tsx').then(({ Buckets: View }) => ({ default: View })));

// They are there before somebody gets to a button, and as long as there is a network.
for (const event of ['pointermove', 'pointerdown', 'keydown', 'dragenter'])
  addEventListener(event, () => void load().catch(() => undefined), { once: true, capture: true });

export function Page() {
  const app = useApp();
  const { dialogs, place, tasks, texts, uploads } = app;
  const { screen, file, folder } = place.value.value;
  useTitle(screen === 'buckets' ? texts.say('buckets') : texts.folder(file ?? folder));
  const over = useDrops(app);
  useShortcuts();
  return (
    <div class="page">
      <MediaHeader />
      <main class="main">
        {screen === 'buckets' ? (
          <Suspense fallback={null}>
            <Buckets />
          </Suspense>
        ) : (
          <Files />
        )}
      </main>
      <div class="panels">
        <section class="activity" aria-label={texts.say('activity')} aria-live="polite">
          {tasks.list.value.length > 0 && (
            <Suspense fallback={null}>
              <Activity />
            </Suspense>
          )}
        </section>
        {uploads.list.value.length > 0 && (
          <Suspense fallback={null}>
            <UploadPanel />
          </Suspense>
        )}
      </div>
      {file !== undefined && screen === 'files' && (
        <Suspense fallback={null}>
          <Viewer file={file} />
        </Suspense>
      )}
      {dialogs.open.value !== undefined && (
        <Suspense fallback={null}>
          <Dialogs />
        </Suspense>
      )}
      {over && app.me.may('upload') && (
        <div class="drop-hint" aria-hidden="true">
          <Icon name="upload" size={32} />
          {texts.say('dropHere', { folder: texts.folder(folder) })}
        </div>
      )}
    </div>
  );
}

/** Files that are dropped anywhere, or pasted, are uploaded to the folder. */
function useDrops(app: App): boolean {
  const upload = async (data: DataTransfer) => {
    if (!app.me.may('upload')) return;
    const { folder } = app.place.value.peek();
    await app.uploads.add(await droppedFiles(data), folder);
  };
  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent) => {
      if (clipboardData?.files.length) void upload(clipboardData);
    };
    addEventListener('paste', onPaste);
    return () => removeEventListener('paste', onPaste);
  }, [app]);
  return useFileDrops((data) => void upload(data));
}

/** The keys that work wherever the focus is, except in a field. */
function useShortcuts(): void {
  const app = useApp();
  const actions = useActions();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (target.closest('input:not([type="checkbox"]), textarea, select, dialog, [role="menu"]')) return;
      if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLElement>('[type="search"]')?.focus();
      }
      if (event.key === '?') app.dialogs.show({ kind: 'keyboard' });
      if ((event.ctrlKey || event.metaKey) && event.key === 'v') actions.paste();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [app, actions]);
}
