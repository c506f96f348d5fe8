import { useEffect, useState } from 'preact/hooks';
import type { Entry } from '../../media/api/types.ts';
import { parentOf } from '../../media/state/place.ts';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useApp } from '../app-context.ts';
import { type Picture, publicAddress } from '../state/pictures.ts';

interface PictureDialogProps {
  onPick: (picture: Picture) => void;
  onClose: () => void;
}

/** Asks for a picture of the gallery; those that readers cannot see are shown and cannot be chosen. */
export function PictureDialog({ onPick, onClose }: PictureDialogProps) {
  const { address, gallery, site, texts } = useApp();
  const { say } = texts;
  const prefixes = site.value?.publicPrefixes ?? [];
  const [folder, setFolder] = useState(prefixes[0] ?? '');
  const [entries, setEntries] = useState<readonly Entry[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const work = new AbortController();
    setEntries(undefined);
    setProblem(undefined);
    gallery.list(folder, undefined, work.signal).then(
      (page) => setEntries(page.entries),
      (error: unknown) => {
        if (!work.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => work.abort();
  }, [gallery, folder]);
  const shown = entries?.filter(({ kind }) => kind === 'folder' || kind === 'image');
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
                onClick={() => onPick({ src: publicAddress(address.base, entry.path), alt: '' })}
              >
                <img src={gallery.thumbnail(entry)} alt="" loading="lazy" />
                <bdi>{texts.name(entry.name)}</bdi>
              </button>
            )}
          </li>
        ))}
        {shown?.length === 0 && <li class="hint">{say('noPictures')}</li>}
      </ul>
      <div class="modal-buttons">
        <Button onClick={onClose} autofocus>
          {say('cancel')}
        </Button>
      </div>
    </Modal>
  );
}
