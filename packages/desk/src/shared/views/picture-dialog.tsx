import { useEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../../media/api/types.ts';
import { parentOf } from '../../media/state/place.ts';
import { useDesk } from '../desk.ts';
import { foundAmong, isShowable, MOST_FILES, publicPictures } from '../state/gallery-pictures.ts';
import { type ChosenPicture, copyPicture, publicPicture } from '../state/upload-picture.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { Modal } from './modal.tsx';
import { errorWords } from './problem-view.tsx';
import { type Pictures, useUpload } from './use-upload.ts';

interface PictureDialogProps {
  pictures: Pictures;
  onPick: (picture: ChosenPicture) => void;
  onClose: () => void;
}

/** Asks for a picture of the gallery; those that readers cannot see are shown and cannot be chosen. */
export function PictureDialog({ pictures, onPick, onClose }: PictureDialogProps) {
  const { gallery, publicPrefixes: prefixes, texts } = pictures;
  const { say } = texts;
  // The gallery is asked, not the articles.
  const desk = useDesk();
  const { base } = desk.address;
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
  const [view, setView] = useState<'folders' | 'recent'>('folders');
  const [words, setWords] = useState('');
  const isFound = view === 'recent' || words.trim() !== '';
  const all = useEverywhere(pictures, isFound, setProblem);
  const shown = isFound
    ? foundAmong(all.pictures, words)
    : entries?.filter((entry) => entry.kind === 'folder' || isShowable(entry));
  const isPublic = prefixes.some((prefix) => folder.startsWith(prefix));
  const above = parentOf(folder);
  const [copying, setCopying] = useState<string>();
  const mayCopy = prefixes[0] !== undefined && desk.me.may('organize');
  const copy = async ({ path, contentType }: Entry) => {
    setProblem(undefined);
    setCopying(path);
    try {
      const key = await copyPicture(gallery, path, prefixes[0] ?? '');
      if (!isGone.current) onPick({ src: publicPicture(base, key, contentType), alt: '' });
    } catch (error) {
      setProblem(errorWords(error, desk.texts.say));
    }
    setCopying(undefined);
  };
  const upload = useUpload(pictures);
  const chooser = useRef<HTMLInputElement>(null);
  const [isUploading, setUploading] = useState(false);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    setUploading(true);
    const picture = await upload(file, isPublic ? folder : undefined, setProblem);
    setUploading(false);
    if (picture === undefined) return;
    if (isGone.current) picture.takeBack?.();
    else onPick(picture);
  };
  return (
    <Modal title={say('pictures')} onClose={onClose} look="broad">
      <div class="picture-path">
        <input
          type="search"
          // Enter is not one of a form around the dialog.
          form=""
          class="picture-search"
          aria-label={say('searchPictures')}
          placeholder={say('searchPictures')}
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
        <Button
          aria-pressed={view === 'recent'}
          onClick={() => setView(view === 'recent' ? 'folders' : 'recent')}
        >
          {say('recentPictures')}
        </Button>
        <Button icon="upload" disabled={isUploading} onClick={() => chooser.current?.click()}>
          {isUploading ? say('uploadingPicture') : say('uploadHere')}
        </Button>
        <input
          ref={chooser}
          hidden
          type="file"
          accept="image/*"
          data-upload="gallery"
          onChange={({ currentTarget }) => {
            void take(currentTarget.files?.[0]);
            currentTarget.value = '';
          }}
        />
      </div>
      {!isFound && (
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
      )}
      {!isPublic && !isFound && (
        <p class="hint" role="note">
          {prefixes.length === 0
            ? say('noPublicFolder')
            : texts.sentences(
                say('notPublic', { folders: texts.list(prefixes) }),
                !mayCopy && say('othersCopy', { folder: prefixes[0] ?? '' }),
              )}
        </p>
      )}
      <p class="form-problem" role="alert">
        {problem}
      </p>
      <ul class="picture-grid" aria-label={say('pictures')} aria-busy={isFound && all.isBusy}>
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
                title={texts.name(entry.path)}
                disabled={!isPublic && !isFound && (!mayCopy || copying !== undefined)}
                aria-busy={copying === entry.path}
                onClick={() =>
                  isPublic || isFound
                    ? onPick({ src: publicPicture(base, entry.path, entry.contentType), alt: '' })
                    : void copy(entry)
                }
              >
                <img src={gallery.thumbnail(entry)} alt="" loading="lazy" />
                <bdi>{texts.name(entry.name)}</bdi>
                {!isPublic && !isFound && mayCopy && (
                  <span>{say('copyAndUse', { folder: prefixes[0] ?? '' })}</span>
                )}
              </button>
            )}
          </li>
        ))}
        {shown?.length === 0 && !isFound && next === undefined && <li class="hint">{say('noPictures')}</li>}
        {shown?.length === 0 && isFound && !all.isBusy && <li class="hint">{say('noPictureFound')}</li>}
      </ul>
      {isFound && all.isCut && <p class="hint">{say('searchedSome', { count: MOST_FILES })}</p>}
      <div class="modal-buttons">
        {!isFound && entries !== undefined && next !== undefined && (
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

/** The pictures of all public folders, once they are asked for. */
function useEverywhere(
  { gallery, publicPrefixes }: Pictures,
  isWanted: boolean,
  onProblem: (words: string) => void,
): { pictures: readonly Entry[]; isBusy: boolean; isCut: boolean } {
  const desk = useDesk();
  const [all, setAll] = useState<{ pictures: readonly Entry[]; isBusy: boolean; isCut: boolean }>(NOTHING);
  useEffect(() => {
    if (!isWanted) return;
    const work = new AbortController();
    const look = async () => {
      let [pictures, isCut]: [readonly Entry[], boolean] = [[], false];
      for await (const page of publicPictures(gallery, publicPrefixes, work.signal)) {
        if (work.signal.aborted) return;
        if (page === 'cut') isCut = true;
        else pictures = [...pictures, ...page];
        setAll({ pictures, isBusy: true, isCut });
      }
      setAll({ pictures, isBusy: false, isCut });
    };
    look().catch((error: unknown) => {
      if (!work.signal.aborted) onProblem(errorWords(error, desk.texts.say));
    });
    return () => work.abort();
  }, [gallery, isWanted]);
  return all;
}

const NOTHING = { pictures: [], isBusy: true, isCut: false };
