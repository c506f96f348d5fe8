import { useEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../../media/api/types.ts';
import { parentOf } from '../../media/state/place.ts';
import { useDesk } from '../../shared/desk.ts';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import type { Picture } from '../editor/editing/figures.ts';
import { publicPicture } from '../state/pictures.ts';

interface PictureDialogProps {
  onPick: (picture: Picture) => void;
  onClose: () => void;
}

/** Asks for a picture of the gallery; those that readers cannot see are shown and cannot be chosen. */
export function PictureDialog({ onPick, onClose }: PictureDialogProps) {
  const { address, gallery, site, texts } = useApp();
  const { say } = texts;
  // The gallery is asked, not the articles.
  const desk = useDesk();
  const prefixes = site.value?.publicPrefixes ?? [];
  const [folder, setFolder] = useState(prefixes[0] ?? '');
  const [entries, setEntries] = useState<readonly Entry[]>();
  const [next, setNext] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const work = useRef(new AbortController());
  const load = async (before: readonly Entry[], token?: string) => {
    const { signal } = work.current;
    setProblem(undefined);
    try {
      const page = await gallery.list(folder, token, signal);
      if (signal.aborted) return;
      setEntries([...before, ...page.entries]);
      setNext(page.next ?? undefined);
    } catch (error) {
      if (!signal.aborted) setProblem(errorWords(error, desk.texts.say));
    }
  };
  useEffect(() => {
    work.current = new AbortController();
    setEntries(undefined);
    setNext(undefined);
    void load([]);
    return () => work.current.abort();
  }, [gallery, folder]);
  const shown = entries?.filter((entry) => entry.kind === 'folder' || isShowable(entry));
  const isPublic = prefixes.some((prefix) => folder.startsWith(prefix));
  const above = parentOf(folder);
  return (
    <Modal title={say('pictures')} onClose={onClose} look="broad">
      <div class="picture-path">
        {folder !== '' && (
          <Button kind="quiet" icon="previous" onClick={() => setFolder(above)}>
            {say('upTo', { folder: above === '' ? say('rootFolder') : above })}
          </Button>
        )}
        <strong>
          <bdi>{folder === '' ? say('rootFolder') : texts.name(folder)}</bdi>
        </strong>
      </div>
      {!isPublic && (
        <p class="hint" role="note">
          {prefixes.length === 0 ? say('noPublicFolder') : say('notPublic', { folders: prefixes.join(', ') })}
        </p>
      )}
      <p class="form-problem" role="alert">
        {problem}
      </p>
      <ul class="picture-grid" aria-label={say('pictures')}>
        {shown?.map((entry) => (
          <li key={entry.path}>
            {entry.kind === 'folder' ? (
              <button type="button" class="picture-choice" onClick={() => setFolder(entry.path)}>
                <Icon name="folder" size={28} />
                <bdi>{texts.name(entry.name)}</bdi>
              </button>
            ) : (
              <button
                type="button"
                class="picture-choice"
                disabled={!isPublic}
                onClick={() =>
                  onPick({ src: publicPicture(address.base, entry.path, entry.contentType), alt: '' })
                }
              >
                <img src={gallery.thumbnail(entry)} alt="" loading="lazy" />
                <bdi>{texts.name(entry.name)}</bdi>
              </button>
            )}
          </li>
        ))}
        {shown?.length === 0 && next === undefined && <li class="hint">{say('noPictures')}</li>}
      </ul>
      <div class="modal-buttons">
        {entries !== undefined && next !== undefined && (
          <Button onClick={() => void load(entries, next)}>{say('morePictures')}</Button>
        )}
        <span class="space" />
        <Button onClick={onClose} autofocus>
          {say('cancel')}
        </Button>
      </div>
    </Modal>
  );
}

/** Readers do not see SVG: it is only downloaded. */
function isShowable(entry: Entry): boolean {
  return entry.kind === 'image' && !entry.contentType.startsWith('image/svg');
}
