import { useState } from 'preact/hooks';
import { useBroken } from '../../shared/desk.ts';
import { Icon } from '../../shared/views/icon.tsx';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { endingOf } from '../state/order.ts';
import { isDrawn } from '../state/seen.ts';
import { useSettled } from './flying.ts';
import { Look } from './look.tsx';
import { Poster } from './poster.tsx';
import { useWhyUnseen } from './why-unseen.ts';

/** Width and height of what is sent where there is no thumbnail, in px; no thumbnail is as large. */
const PLACEHOLDER = 481;

/** A small picture of a file; of what has none its kind, and why where there is room. */
export function Thumbnail({ entry, iconSize = 28 }: { entry: Entry; iconSize?: number }) {
  const { api, texts } = useApp();
  const [isBroken, broken] = useBroken();
  const [isThere, setThere] = useState(false);
  // Of thousands of pictures that fly past, the service makes no thumbnails, and the browser draws nothing.
  const isSettled = useSettled();
  const hasRoom = iconSize > 24;
  const isPicture = isDrawn(entry);
  const isVideo = entry.kind === 'video' && hasRoom;
  const why = useWhyUnseen(entry, isPicture && isBroken && hasRoom);
  if ((isPicture || isVideo) && !isBroken) {
    if (!isSettled) return null;
    return isVideo ? (
      <Poster entry={entry} onBroken={broken} />
    ) : (
      <>
        {!isThere && (
          <span class="coming">
            {entry.thumbhash !== undefined && hasRoom ? (
              <Look thumbhash={entry.thumbhash} />
            ) : (
              <Icon name={entry.kind} size={iconSize} />
            )}
          </span>
        )}
        <Picture src={api.thumbnail(entry)} onBroken={broken} onThere={() => setThere(true)} />
      </>
    );
  }
  const ending = endingOf(entry.name);
  return (
    <span class="kind">
      <Icon name={entry.kind} size={iconSize} />
      {hasRoom && ending !== '' && (
        <span class="kind-ending" aria-hidden="true">
          {ending}
        </span>
      )}
      {/* The name of a file stays its link's; the viewer says why to everybody. */}
      {hasRoom && isBroken && (
        <span class="kind-why" aria-hidden="true">
          {isVideo ? texts.say('whyVideo') : why}
        </span>
      )}
    </span>
  );
}

interface PictureOptions {
  src: string;
  alt?: string;
  onBroken: () => void;
  onThere?: () => void;
}

/** A picture that the service has made. */
export function Picture({ src, alt = '', onBroken, onThere }: PictureOptions) {
  return (
    <img
      src={src}
      alt={alt}
      decoding="async"
      draggable={false}
      onError={onBroken}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
        if (naturalWidth === PLACEHOLDER && naturalHeight === PLACEHOLDER) onBroken();
        onThere?.();
      }}
    />
  );
}
