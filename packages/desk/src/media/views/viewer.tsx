import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useBroken } from '../../shared/desk.ts';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { endingOf } from '../state/order.ts';
import { nameOf, parentOf } from '../state/place.ts';
import { isDrawn, isText } from '../state/seen.ts';
import { publicCopyOf, useActions } from './actions.ts';
import { TextFile } from './text-file.tsx';
import { Picture, Thumbnail } from './thumbnail.tsx';
import { useWhyUnseen } from './why-unseen.ts';

/** The distance that makes a swipe, in px. */
const SWIPE = 48;

/** A signed address is asked for again before it ends, in ms. */
const FRESH_MS = 50 * 60_000;

/** One file over the whole window, with its neighbors a key or a swipe away. */
export function Viewer({ file }: { file: string }) {
  const app = useApp();
  const { dialogs, folder, me, place, texts } = app;
  const { say } = texts;
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [hasDetails, setDetails] = useState(() => matchMedia('(min-width: 900px)').matches);
  const files = folder.shown.value.filter(({ kind }) => kind !== 'folder');
  const index = files.findIndex(({ path }) => path === file);
  const entry = files[index] ?? folder.loaded.value.find(({ path }) => path === file);
  const state = folder.state.value;
  const close = () => place.go({ file: undefined, folder: place.value.peek().folder });
  const step = (by: number) => {
    const next = files[index + by];
    if (index !== -1 && next !== undefined) place.replace({ file: next.path });
  };
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    // A link may lead to a file on a page that is not loaded yet.
    if (entry === undefined && state === 'more') void folder.loadMore();
  }, [folder, entry, state]);
  // After a deletion, its neighbor is shown.
  const last = useRef<{ file: string; index: number }>();
  useEffect(() => {
    if (index !== -1) last.current = { file, index };
    else if (last.current?.file === file && state !== 'loading') {
      const next = files[Math.min(last.current.index, files.length - 1)];
      if (next === undefined) close();
      else place.replace({ file: next.path });
    }
  });
  const name = texts.name(entry?.name ?? nameOf(file));
  return (
    <dialog
      ref={dialog}
      class="viewer"
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        if (event.target === dialog.current) close();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if ((event.target as HTMLElement).closest('video, audio, textarea')) return;
        if (event.key === 'ArrowRight') step(1);
        if (event.key === 'ArrowLeft') step(-1);
      }}
    >
      <div class="viewer-head">
        <IconButton icon="close" label={say('close')} onClick={close} autofocus />
        <h2 id={title} class="viewer-title">
          <bdi>{name}</bdi>
        </h2>
        {index !== -1 && (
          <span class="viewer-count">{say('viewerOf', { index: index + 1, count: files.length })}</span>
        )}
        <IconButton
          icon="info"
          label={say('showDetails')}
          aria-pressed={hasDetails}
          onClick={() => setDetails(!hasDetails)}
        />
        {entry !== undefined && me.may('organize') && (
          <IconButton
            icon="delete"
            label={say('delete')}
            onClick={() => dialogs.show({ kind: 'delete', entries: [entry] })}
          />
        )}
      </div>
      {entry === undefined ? (
        <p class="empty">{state === 'complete' || state === 'failed' ? say('gone') : say('loading')}</p>
      ) : (
        <div class="viewer-body">
          <Stage key={entry.path} entry={entry} onStep={step} hasDetails={hasDetails} />
          {index > 0 && (
            <button
              type="button"
              class="viewer-step back"
              aria-label={say('previous')}
              onClick={() => step(-1)}
            >
              <Icon name="previous" size={24} />
            </button>
          )}
          {index !== -1 && index < files.length - 1 && (
            <button type="button" class="viewer-step forth" aria-label={say('next')} onClick={() => step(1)}>
              <Icon name="next" size={24} />
            </button>
          )}
        </div>
      )}
    </dialog>
  );
}

interface StageProps {
  entry: Entry;
  onStep: (by: number) => void;
  hasDetails: boolean;
}

/** The file itself, and what is known about it. */
function Stage({ entry, onStep, hasDetails }: StageProps) {
  const { api } = useApp();
  const url = useSigned(entry, (keys) => api.sign(keys));
  const [facts, setFacts] = useState<{ dimensions?: string; seconds?: number }>({});
  const start = useRef<{ x: number; y: number }>();
  return (
    <>
      <div
        class="stage"
        onPointerDown={({ clientX, clientY, pointerType }) => {
          start.current = pointerType === 'mouse' ? undefined : { x: clientX, y: clientY };
        }}
        onPointerUp={({ clientX, clientY }) => {
          const { current: from } = start;
          start.current = undefined;
          if (from === undefined || Math.abs(clientY - from.y) > Math.abs(clientX - from.x)) return;
          if (clientX - from.x > SWIPE) onStep(-1);
          if (from.x - clientX > SWIPE) onStep(1);
        }}
      >
        {url !== undefined && <Media entry={entry} url={url} onFacts={setFacts} />}
      </div>
      {hasDetails && <Details entry={entry} {...facts} />}
    </>
  );
}

interface MediaProps {
  entry: Entry;
  url: string;
  onFacts: (facts: { dimensions?: string; seconds?: number }) => void;
}

function Media({ entry, url, onFacts }: MediaProps) {
  const { api, texts } = useApp();
  const [isBroken, broken] = useBroken();
  const [hasPreview, setPreview] = useState(true);
  const canBeDrawn = isDrawn(entry);
  if (canBeDrawn && hasPreview && (isBroken || entry.kind === 'file')) {
    const name = texts.name(entry.name);
    return <Picture src={api.thumbnail(entry, 'large')} alt={name} onBroken={() => setPreview(false)} />;
  }
  if (!isBroken && isText(entry)) return <TextFile entry={entry} url={url} onBroken={broken} />;
  if (isBroken || entry.kind === 'file') return <NoPicture entry={entry} />;
  if (entry.kind === 'video' || entry.kind === 'audio') {
    return <Player entry={entry} url={url} onFacts={onFacts} onBroken={broken} />;
  }
  return (
    <img
      src={url}
      alt={texts.name(entry.name)}
      draggable={false}
      onError={broken}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
        onFacts({ dimensions: `${naturalWidth} × ${naturalHeight}` })
      }
    />
  );
}

/** Stands for a file that is not shown, and says why. */
function NoPicture({ entry }: { entry: Entry }) {
  const { say } = useApp().texts;
  const canBeDrawn = isDrawn(entry);
  const isUnknown = entry.kind === 'file' && !canBeDrawn && !isText(entry);
  const hint = entry.kind === 'image' ? 'cannotShowPicture' : isUnknown ? 'noPreview' : 'cannotShow';
  return (
    <div class="stage-card">
      <Thumbnail entry={entry} iconSize={56} />
      <p class="hint">{say(hint)}</p>
    </div>
  );
}

/** A video or a sound. Its address is renewed only when it needs another one: it would begin again. */
function Player({ entry, url, onFacts, onBroken }: MediaProps & { onBroken: () => void }) {
  const { texts } = useApp();
  const [source, setSource] = useState(url);
  const reached = useRef(0);
  const common = {
    src: source,
    controls: true,
    preload: 'metadata',
    'aria-label': texts.name(entry.name),
    onError: () => (source === url ? onBroken() : setSource(url)),
    onTimeUpdate: ({ currentTarget }: { currentTarget: HTMLMediaElement }) => {
      reached.current = currentTarget.currentTime || reached.current;
    },
  } as const;
  const loaded = (element: HTMLMediaElement, dimensions?: string) => {
    if (reached.current > 0) {
      element.currentTime = reached.current;
      void element.play().catch(() => undefined);
    }
    onFacts({ seconds: element.duration, ...(dimensions !== undefined && { dimensions }) });
  };
  if (entry.kind === 'audio') {
    return <audio {...common} onLoadedMetadata={({ currentTarget }) => loaded(currentTarget)} />;
  }
  return (
    <video
      {...common}
      onLoadedMetadata={({ currentTarget }) =>
        loaded(currentTarget, `${currentTarget.videoWidth} × ${currentTarget.videoHeight}`)
      }
    />
  );
}

interface DetailsProps {
  entry: Entry;
  dimensions?: string;
  seconds?: number;
}

function Details({ entry, dimensions, seconds }: DetailsProps) {
  const app = useApp();
  const { api, dialogs, texts, visibility } = app;
  const { say } = texts;
  const isPublic = visibility.of(entry) === 'public';
  const url = useSigned(entry, (keys) => api.signDownloads(keys));
  const actions = useActions();
  const condition = useWhyUnseen(entry, isDrawn(entry));
  const facts: (readonly [string, string | undefined])[] = [
    [say('name'), texts.name(entry.name)],
    [say('location'), texts.folder(parentOf(entry.path))],
    [say('size'), texts.size(entry.size)],
    [say('type'), entry.contentType || endingOf(entry.name)],
    [say('modified'), texts.date(entry.modified, 'long')],
    [say('visibility'), say(isPublic ? 'publicHint' : 'privateHint')],
    [say('dimensions'), dimensions],
    [say('condition'), condition],
    [say('duration'), Number.isFinite(seconds) ? texts.duration(seconds ?? 0) : undefined],
  ];
  return (
    <aside class="details" aria-label={say('showDetails')}>
      <dl>
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
      </dl>
      <div class="details-actions">
        {url !== undefined && (
          <a class="button plain" href={url} download rel="noreferrer">
            <Icon name="download" />
            <span>{say('download')}</span>
          </a>
        )}
        {isPublic && <CopyButton label={say('copyLink')} onCopy={() => actions.copyText('link', entry)} />}
        {!isPublic && visibility.prefixes.value.length > 0 && (
          <Button icon="copy" onClick={() => dialogs.show(publicCopyOf(app, [entry]))}>
            {say('copyToPublic')}
          </Button>
        )}
        {isPublic && entry.kind === 'image' && (
          <>
            <CopyButton label={say('copyMarkdown')} onCopy={() => actions.copyText('markdown', entry)} />
            <CopyButton label={say('copyImg')} onCopy={() => actions.copyText('img', entry)} />
          </>
        )}
        <CopyButton label={say('copySigned')} onCopy={() => actions.copyText('signed', entry)} />
      </div>
    </aside>
  );
}

function CopyButton({ label, onCopy }: { label: string; onCopy: () => Promise<boolean> }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    if (!(await onCopy())) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <Button icon={isDone ? 'check' : 'link'} onClick={() => void copy()}>
      {label}
    </Button>
  );
}

/** A signed address of a file; another one before it ends. */
function useSigned(
  { path }: Entry,
  sign: (keys: readonly string[]) => Promise<Record<string, string>>,
): string | undefined {
  const returns = useApp().connection.returns.value;
  const [url, setUrl] = useState<string>();
  const ask = useRef(sign);
  ask.current = sign;
  useEffect(() => {
    const renew = () =>
      ask.current([path]).then(
        (urls) => setUrl(urls[path]),
        () => undefined,
      );
    void renew();
    const timer = setInterval(() => void renew(), FRESH_MS);
    return () => clearInterval(timer);
  }, [path, returns]);
  return url;
}
