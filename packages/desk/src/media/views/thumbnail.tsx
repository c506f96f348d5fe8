import { useState } from 'preact/hooks';
import { Icon } from '../../shared/views/icon.tsx';
import { useBroken } from '../../shared/views/use-broken.ts';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { endingOf } from '../state/order.ts';
import { useSettled } from './flying.ts';

/** Width and height of what is sent where there is no thumbnail, in px; no thumbnail is as large. */
const PLACEHOLDER = 481;

/** A small picture of an image; of anything else, and of an image that cannot be read, its kind. */
export function Thumbnail({ entry, iconSize = 28 }: { entry: Entry; iconSize?: number }) {
  const { api } = useApp();
  const [isBroken, broken] = useBroken();
  // Of thousands of pictures that fly past, the service makes no thumbnails, and the browser draws nothing.
  const isSettled = useSettled();
  const [isThere, setThere] = useState(false);
  if (entry.kind === 'image' && !isBroken) {
    if (!isSettled) return null;
    return (
      <>
        {!isThere && (
          <span class="coming">
            <Icon name="image" size={iconSize} />
          </span>
        )}
        <img
          src={api.thumbnail(entry)}
          alt=""
          decoding="async"
          draggable={false}
          onError={broken}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            if (naturalWidth === PLACEHOLDER && naturalHeight === PLACEHOLDER) broken();
            setThere(true);
          }}
        />
      </>
    );
  }
  const ending = endingOf(entry.name);
  return (
    <span class="kind">
      <Icon name={entry.kind} size={iconSize} />
      {iconSize > 24 && ending !== '' && (
        <span class="kind-ending" aria-hidden="true">
          {ending}
        </span>
      )}
    </span>
  );
}
