import { useEffect, useRef, useState } from 'preact/hooks';
import { GalleryApi } from '../../media/api/gallery.ts';
import { useDesk } from '../desk.ts';
import { storeOrigin } from '../state/store.ts';
import type { Texts } from '../text/texts.ts';
import { PictureChoice } from './picture-choice.tsx';
import { PictureDialog } from './picture-dialog.tsx';
import type { Pictures, PictureTextName } from './use-upload.ts';

export interface PictureInputProps {
  /** Tells its input of files from others of the page. */
  name: string;
  texts: Texts<PictureTextName>;
  /** Empty without one. */
  src: string;
  /** Takes an address, or an empty one to remove the picture. */
  onTake: (src: string) => void;
}

/** The ways to a picture of the gallery, for a field that has its address; without the gallery, none. */
export function PictureInput({ name, texts, src, onTake }: PictureInputProps) {
  const { service } = useDesk();
  const [gallery] = useState(() => new GalleryApi(service, storeOrigin()));
  const [publicPrefixes, setPrefixes] = useState<readonly string[]>();
  const [problem, tell] = useState<string>();
  const [isChoosing, setChoosing] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    gallery.publicPrefixes().then(setPrefixes, () => undefined);
  }, [gallery]);
  if (publicPrefixes === undefined) return null;
  const pictures: Pictures = { gallery, publicPrefixes, texts, tell };
  const take = (address: string) => {
    onTake(address);
    // To the form around it, this is as good as typed.
    place.current?.dispatchEvent(new InputEvent('input', { bubbles: true }));
  };
  return (
    <div ref={place}>
      <PictureChoice
        legend={<legend class="unseen">{texts.say('fromGallery')}</legend>}
        alt=""
        onChoose={() => setChoosing(true)}
        onTake={take}
        {...{ pictures, name, src }}
      />
      <p class="form-problem" role="alert">
        {problem}
      </p>
      {isChoosing && (
        <PictureDialog
          pictures={pictures}
          onClose={() => setChoosing(false)}
          onPick={(picture) => {
            setChoosing(false);
            take(picture.src);
          }}
        />
      )}
    </div>
  );
}
